internal import CaptureCore
internal import Glibc

/// An LED of the kernel that lights what cameras see: one whose name says flash or torch, under `/sys/class/leds`.
///
/// It appears among the controls of each camera without a flash of its own, as V4L2's flash controls: `brightness` is the
/// torch; LEDs of the flash class (`flash_strobe`) can be struck too. Its calls take microseconds.
struct FlashLED: Sendable {
  private enum ID {
    static let mode: UInt32 = 0x009c_0901, strobe: UInt32 = 0x009c_0903, stop: UInt32 = 0x009c_0904
    static let timeout: UInt32 = 0x009c_0906
  }

  private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!

  private let folder: String

  /// - Returns: nil when there is none that this process may light.
  init?(sysfs: String) {
    let leds = "\(sysfs)/class/leds"
    guard let directory = opendir(leds) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // Not by `pointee`: an entry is as long as its name.
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: Self.nameOffset).assumingMemoryBound(to: CChar.self))
      if name.contains("flash") || name.contains("torch") { names.append("\(leds)/\(name)") }
    }
    guard let found = names.sorted().first(where: { access($0 + "/brightness", W_OK) == 0 }) else { return nil }
    folder = found
  }

  /// None for a camera that has a flash.
  func controls(beside own: [Control]) -> [Control] {
    if own.contains(where: { $0.v4l2ID == ID.mode }) { return [] }
    var mode = Control(id: "led_mode", displayName: "LED Mode", v4l2ID: ID.mode, kind: .menu, maximum: 2)
    mode.menuItems = [Control.MenuItem(index: 0, label: "None"), Control.MenuItem(index: 2, label: "Torch")]
    mode.value = .integer(read("brightness") ?? 0 > 0 ? 2 : 0)
    guard canStrike else { return [mode] }
    mode.menuItems.insert(Control.MenuItem(index: 1, label: "Flash"), at: 1)
    var controls = [
      mode, Control(id: "strobe", displayName: "Strobe", v4l2ID: ID.strobe, kind: .button),
      Control(id: "stop_strobe", displayName: "Stop Strobe", v4l2ID: ID.stop, kind: .button),
    ]
    if let longest = read("max_flash_timeout"), longest > 0, let present = read("flash_timeout") {
      var timeout = Control(
        id: "strobe_timeout", displayName: "Strobe Timeout", v4l2ID: ID.timeout, kind: .integer, maximum: longest,
        defaultValue: longest)
      timeout.value = .integer(present)
      controls.append(timeout)
    }
    return controls
  }

  /// - Returns: nil when the control is not the LED's.
  func set(_ setting: ControlSetting, beside own: [Control], deviceID: String) -> ControlResult? {
    guard let control = controls(beside: own).first(where: { $0.id == setting.control }) else { return nil }
    let outcome = Result { () throws(CaptureError) -> ControlValue? in
      let value = try control.checked(setting.value ?? .integer(control.defaultValue), on: deviceID)
      guard case .integer(let number) = value else { return nil }
      switch control.v4l2ID {
      case ID.mode: try write("brightness", number == 2 ? max(1, read("max_brightness") ?? 1) : 0, deviceID)
      case ID.strobe: try write("flash_strobe", 1, deviceID)
      case ID.stop: try write("flash_strobe", 0, deviceID)
      default: try write("flash_timeout", number, deviceID)
      }
      return control.kind == .button ? nil : value
    }
    return ControlResult(control: setting.control, outcome: outcome)
  }

  private var canStrike: Bool { access(folder + "/flash_strobe", W_OK) == 0 }

  private func read(_ name: String) -> Int64? {
    guard let file = fopen("\(folder)/\(name)", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 32)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    return Int64(String(decoding: line.prefix { $0 > 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  private func write(_ name: String, _ value: Int64, _ deviceID: String) throws(CaptureError) {
    let path = "\(folder)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    let text = Array("\(value)\n".utf8)
    let failure = descriptor < 0 || Glibc.write(descriptor, text, text.count) != text.count ? errno : 0
    if descriptor >= 0 { close(descriptor) }
    guard failure != 0 else { return }
    throw CaptureError(
      .deviceFailed, "The LED \(path) does not take \(value) (errno \(failure)); look at the kernel's log.",
      metadata: ["device": deviceID, "path": path, "errno": "\(failure)"])
  }
}
