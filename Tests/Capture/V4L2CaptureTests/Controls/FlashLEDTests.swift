import CaptureCore
import Foundation
import Logging
import Testing

@testable import V4L2Capture

/// An LED of the machine as the flash of one camera at a time, in a tree of files that stands in for sysfs.
@Suite struct FlashLEDTests {
  private let files = TemporaryTree()
  private static let folder = "sys/class/leds/white:flash"

  private func addLED(_ attributes: [String: String]) {
    files.makeDirectory(Self.folder)
    for (name, value) in attributes { files.write("\(Self.folder)/\(name)", value + "\n") }
  }

  private let shared: SharedFlashLED
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  init() { shared = SharedFlashLED(sysfs: files.tree.sysfs, logger: logger) }

  private func controls(of camera: String = "cam") -> [Control] { shared.controls(of: camera, beside: []) }

  private func set(_ settings: [ControlSetting], of camera: String = "cam") throws {
    for setting in settings {
      _ = try #require(shared.set(setting, of: camera, beside: [])).outcome.get()
    }
  }

  /// The settings for a photo with a flash, and the settings that restore the LED afterwards.
  private func photo(of camera: String = "cam") throws -> (settings: [ControlSetting], back: [ControlSetting]) {
    let plan = ShotPlan(controls(of: camera), deviceID: camera)
    let settings = try plan.settings(for: Shot.Step(flash: true)).controls
    return (settings, plan.restoring(settings))
  }

  private func file(_ name: String) throws -> String {
    // Only the first line counts: a plain file keeps the rest of a longer earlier value, and sysfs does not.
    let text = try String(contentsOfFile: "\(files.root)/\(Self.folder)/\(name)", encoding: .utf8)
    return text.split(separator: "\n").first.map(String.init) ?? ""
  }

  /// Why setting a control of the LED fails; nil when the setting succeeds.
  private func refusal(_ id: String, _ value: Int64, of camera: String = "cam") -> CaptureError.Reason? {
    let setting = ControlSetting(control: id, value: .integer(value))
    guard case .failure(let error)? = shared.set(setting, of: camera, beside: [])?.outcome else { return nil }
    return error.reason
  }

  /// A machine has many LEDs, such as that of a key. Only an LED whose name says flash or torch lights the scene.
  @Test func onlyLEDsNamedFlashOrTorchAreUsed() {
    #expect(controls().isEmpty)
    files.makeDirectory("sys/class/leds/input0::capslock")
    files.write("sys/class/leds/input0::capslock/brightness", "0\n")
    #expect(controls().isEmpty)
  }

  /// An LED that can only be lit is a torch: as bright as it can be for a photo with a flash, and dark afterwards.
  @Test func aPlainLEDIsATorch() throws {
    addLED(["brightness": "0", "max_brightness": "255"])
    #expect(controls().map(\.id) == ["led_mode", "intensity_torch_mode"])
    #expect(controls()[0].menuItems.map(\.index) == [0, 2])
    let photo = try photo()
    try set(photo.settings)
    #expect(try file("brightness") == "255")
    try set(photo.back)
    #expect(try file("brightness") == "0")
  }

  /// An LED that is either on or off has no control for its intensity.
  @Test func anLEDWithoutStepsHasNoIntensity() throws {
    addLED(["brightness": "0", "max_brightness": "1"])
    #expect(controls().map(\.id) == ["led_mode"])
    let photo = try photo()
    try set(photo.settings)
    #expect(try file("brightness") == "1")
    try set(photo.back)
    #expect(try file("brightness") == "0")
  }

  /// The files, apart from the brightness, of an LED that the kernel can strobe.
  private static let striking = [
    "max_brightness": "7", "flash_strobe": "0", "flash_timeout": "100000", "max_flash_timeout": "500000",
  ]

  /// An LED of the kernel's flash class strobes for a photo, with the longest timeout, and does not light as a torch.
  /// Afterwards its brightness and its timeout are as before. The argument is the brightness before the photo.
  @Test(arguments: [0, 3]) func anLEDOfTheFlashClassStrobes(brightness: Int) throws {
    addLED(Self.striking.merging(["brightness": "\(brightness)"]) { $1 })
    let photo = try photo()
    #expect(photo.settings.map(\.control) == ["led_mode", "strobe_timeout", "strobe"])
    try set(photo.settings)
    #expect(try file("flash_strobe") == "1")
    #expect(try file("flash_timeout") == "500000")
    #expect(try file("brightness") == "0", "the torch stays off")
    #expect(controls()[0].value == .integer(1))
    try set(photo.back)
    #expect(try file("flash_strobe") == "0")
    #expect(try file("flash_timeout") == "100000")
    #expect(try file("brightness") == "\(brightness)")
    #expect(refusal("led_mode", 3) == .unsupportedValue)
  }

  /// A dimmed torch is as bright as it can be for the photo. Afterwards, and when a client switches it on again, the
  /// torch has its dimmed brightness.
  @Test func aDimmedTorchIsBrightForThePhotoAndThenDimmedAgain() throws {
    addLED(["brightness": "50", "max_brightness": "255"])
    let photo = try photo()
    try set(photo.settings)
    #expect(try file("brightness") == "255")
    try set(photo.back)
    #expect(try file("brightness") == "50")
    try set([ControlSetting(control: "led_mode", value: .integer(0))])
    #expect(try file("brightness") == "0")
    try set([ControlSetting(control: "led_mode", value: .integer(2))])
    #expect(try file("brightness") == "50")
  }

  /// While one camera uses the LED, the controls of the LED are grabbed for all other cameras, and a photo with a flash
  /// fails there instead of changing the light of the first camera.
  @Test(arguments: [[:], striking]) func onlyOneCameraUsesTheLEDAtATime(more: [String: String]) throws {
    addLED(["brightness": "50", "max_brightness": "255"].merging(more) { $1 })
    let photo = try photo(of: "a")
    try set(photo.settings, of: "a")
    #expect(controls(of: "b").allSatisfy { $0.flags.isGrabbed })
    #expect(controls(of: "a").allSatisfy { !$0.flags.isGrabbed })
    let plan = ShotPlan(controls(of: "b"), deviceID: "b")
    let error = #expect(throws: CaptureError.self) { _ = try plan.settings(for: Shot.Step(flash: true)) }
    #expect(error?.reason == .controlGrabbed)
    #expect(refusal("led_mode", 0, of: "b") == .controlGrabbed)
    try set(photo.back, of: "a")
    #expect(controls(of: "b").allSatisfy { !$0.flags.isGrabbed })
    let other = try self.photo(of: "b")
    try set(other.settings, of: "b")
    try set(other.back, of: "b")
    #expect(try file("brightness") == "50")
  }

  /// When the camera that uses the LED goes, the LED gets back its former brightness and timeout, and other cameras may
  /// use it. The end of another camera changes nothing.
  @Test(arguments: [[:], striking]) func theLEDIsRestoredWhenItsCameraGoes(more: [String: String]) throws {
    addLED(["brightness": "5", "max_brightness": "7"].merging(more) { $1 })
    try set(photo(of: "a").settings, of: "a")
    shared.cameraWent("b")
    #expect(refusal("led_mode", 2, of: "b") == .controlGrabbed)
    shared.cameraWent("a")
    #expect(try file("brightness") == "5")
    if !more.isEmpty {
      #expect(try file("flash_strobe") == "0")
      #expect(try file("flash_timeout") == "100000")
    }
    #expect(controls(of: "b").allSatisfy { !$0.flags.isGrabbed })
  }

  /// The machine's LED does not appear among the controls of a camera that has a flash of its own.
  @Test func aCameraWithItsOwnFlashDoesNotGetTheLED() throws {
    addLED(["brightness": "0", "max_brightness": "1"])
    let own = Control(id: "led_mode", displayName: "LED Mode", v4l2ID: 0x009c_0901, kind: .menu)
    #expect(shared.controls(of: "cam", beside: [own]).isEmpty)
    #expect(
      shared.set(ControlSetting(control: "led_mode", value: .integer(2)), of: "cam", beside: [own]) == nil)
  }

  // MARK: - With a camera

  /// A provider whose camera has lit the LED as a torch.
  private func lit() async throws -> (V4L2DeviceProvider, FakeKernel, camera: String) {
    addLED(["brightness": "0", "max_brightness": "255"])
    files.write("dev/video0")
    let kernel = FakeKernel()
    let provider = V4L2DeviceProvider(logger: logger, tree: files.tree, syscalls: kernel)
    let camera = try #require(await provider.devices().first).id
    for result in try await provider.set([ControlSetting(control: "led_mode", value: .integer(2))], on: camera) {
      _ = try result.outcome.get()
    }
    #expect(try file("brightness") == "255")
    return (provider, kernel, camera)
  }

  /// A client can switch the LED off after the camera was unplugged, because the LED does not need the camera's node.
  @Test func theLEDCanBeSwitchedOffWithoutTheCamerasNode() async throws {
    let (provider, kernel, camera) = try await lit()
    kernel.disconnect()
    await #expect(throws: CaptureError.self) { _ = try await provider.controls(of: camera) }
    let results = try await provider.set([ControlSetting(control: "led_mode", value: .integer(0))], on: camera)
    let values = try results.map { try $0.outcome.get() }
    #expect(values == [.integer(0)])
    #expect(try file("brightness") == "0")
  }

  /// When no client switches the LED off, the provider does so as soon as it learns that the camera is gone.
  @Test func theLEDGoesOutWhenItsCameraGoes() async throws {
    let (provider, _, _) = try await lit()
    files.delete("dev/video0")
    #expect(await provider.devices().isEmpty)
    #expect(try file("brightness") == "0")
    files.write("dev/video0")
    let camera = try #require(await provider.devices().first).id
    #expect(try await provider.controls(of: camera).first { $0.id == "led_mode" }?.value == .integer(0))
  }
}
