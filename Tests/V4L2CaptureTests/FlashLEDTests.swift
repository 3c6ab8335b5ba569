import CaptureCore
import Foundation
import Testing

@testable import V4L2Capture

@Suite struct FlashLEDTests {
  private let files = TemporaryTree()
  private static let folder = "sys/class/leds/white:flash"

  private func addLED(_ attributes: [String: String]) {
    files.makeDirectory(Self.folder)
    for (name, value) in attributes { files.write("\(Self.folder)/\(name)", value + "\n") }
  }

  private func led() throws -> FlashLED { try #require(FlashLED(sysfs: files.tree.sysfs)) }

  private func file(_ name: String) throws -> String {
    // The first line: a plain file keeps what a longer value left behind, sysfs does not.
    let text = try String(contentsOfFile: "\(files.root)/\(Self.folder)/\(name)", encoding: .utf8)
    return text.split(separator: "\n").first.map(String.init) ?? ""
  }

  private func set(_ id: String, _ value: Int64?) throws -> CaptureError.Reason? {
    let result = try led().set(
      ControlSetting(control: id, value: value.map { .integer($0) }), beside: [], deviceID: "cam")
    guard case .failure(let error)? = result?.outcome else { return nil }
    return error.reason
  }

  @Test func onlyLEDsThatSayFlashOrTorch() {
    #expect(FlashLED(sysfs: files.tree.sysfs) == nil)
    files.makeDirectory("sys/class/leds/input0::capslock")
    files.write("sys/class/leds/input0::capslock/brightness", "0\n")
    #expect(FlashLED(sysfs: files.tree.sysfs) == nil)
  }

  @Test func aPlainLEDIsATorch() throws {
    addLED(["brightness": "0", "max_brightness": "255"])
    let controls = try led().controls(beside: [])
    #expect(controls.map(\.id) == ["led_mode"])
    #expect(controls[0].menuItems.map(\.index) == [0, 2])
    let plan = ShotPlan(controls, deviceID: "cam")
    let settings = try plan.settings(for: Shot.Step(flash: true)).controls
    for setting in settings { _ = try led().set(setting, beside: [], deviceID: "cam") }
    #expect(try file("brightness") == "255")
    for setting in plan.restoring(settings) { _ = try led().set(setting, beside: [], deviceID: "cam") }
    #expect(try file("brightness") == "0")
  }

  @Test func oneOfTheFlashClassIsStruck() throws {
    addLED([
      "brightness": "0", "max_brightness": "7", "flash_strobe": "0", "flash_timeout": "100000",
      "max_flash_timeout": "500000",
    ])
    let plan = ShotPlan(try led().controls(beside: []), deviceID: "cam")
    let settings = try plan.settings(for: Shot.Step(flash: true)).controls
    #expect(settings.map(\.control) == ["strobe_timeout", "led_mode", "strobe"])
    for setting in settings { _ = try led().set(setting, beside: [], deviceID: "cam") }
    #expect(try file("flash_strobe") == "1")
    #expect(try file("flash_timeout") == "500000")
    #expect(try file("brightness") == "0", "the torch stays off")
    for setting in plan.restoring(settings) { _ = try led().set(setting, beside: [], deviceID: "cam") }
    #expect(try file("flash_strobe") == "0")
    #expect(try file("flash_timeout") == "100000")
    #expect(try set("led_mode", 3) == .unsupportedValue)
  }

  @Test func aCameraWithAFlashKeepsItsOwn() throws {
    addLED(["brightness": "0", "max_brightness": "1"])
    let own = Control(id: "led_mode", displayName: "LED Mode", v4l2ID: 0x009c_0901, kind: .menu)
    #expect(try led().controls(beside: [own]).isEmpty)
    #expect(
      try led().set(ControlSetting(control: "led_mode", value: .integer(2)), beside: [own], deviceID: "cam") == nil)
  }
}
