internal import CaptureCore
internal import Glibc

/// The files of an LED that lights the scene of a camera: an LED under `/sys/class/leds` whose name contains "flash" or
/// "torch".
///
/// Writing `brightness` switches the torch. An LED of the kernel's flash class, which has a file `flash_strobe`, can
/// also flash once. Each call takes microseconds.
struct FlashLED: Hashable, Sendable {
  /// A file of the LED that the daemon writes.
  enum Attribute: String { case brightness, flashStrobe = "flash_strobe", flashTimeout = "flash_timeout" }

  private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!

  let folder: String

  /// Every LED whose name contains "flash" or "torch", sorted by name. Empty when the folder of LEDs cannot be read.
  static func all(sysfs: String) -> [FlashLED] {
    let leds = "\(sysfs)/class/leds"
    guard let directory = opendir(leds) else { return [] }
    defer { closedir(directory) }
    var found: [FlashLED] = []
    while let entry = readdir(directory) {
      // Reading the entry through `pointee` would copy a whole `dirent`, but the memory of an entry ends with its name.
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: Self.nameOffset).assumingMemoryBound(to: CChar.self))
      if name.contains("flash") || name.contains("torch") { found.append(FlashLED(folder: "\(leds)/\(name)")) }
    }
    return found.sorted { $0.folder < $1.folder }
  }

  /// Whether this process may switch the torch.
  var isWritable: Bool { isWritable(.brightness) }
  /// Whether the LED can flash once, and this process may make the LED flash.
  var canStrike: Bool { isWritable(.flashStrobe) }

  /// The present brightness, 0 (dark) to ``maxBrightness``. 0 also when the file cannot be read.
  var brightness: Int64 { read(Attribute.brightness.rawValue) ?? 0 }
  /// The greatest brightness, at least 1.
  var maxBrightness: Int64 { max(1, read("max_brightness") ?? 1) }
  /// How long a flash lasts, in microseconds; nil when the duration cannot be set.
  var timeout: Int64? { maxTimeout > 0 ? read(Attribute.flashTimeout.rawValue) : nil }
  /// The longest duration of a flash in microseconds; 0 when the duration cannot be set.
  var maxTimeout: Int64 { read("max_flash_timeout") ?? 0 }

  /// Writes `value` to a file of the LED.
  ///
  /// - Throws: `deviceFailed`, with `deviceID` as the device, when the file cannot be opened or the kernel refuses the
  ///   value.
  func write(_ attribute: Attribute, _ value: Int64, _ deviceID: String) throws(CaptureError) {
    let path = path(attribute)
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    let text = Array("\(value)\n".utf8)
    let failure = descriptor < 0 || Glibc.write(descriptor, text, text.count) != text.count ? errno : 0
    if descriptor >= 0 { close(descriptor) }
    guard failure != 0 else { return }
    throw CaptureError(
      .deviceFailed, "The LED \(path) does not take \(value) (errno \(failure)); look at the kernel's log.",
      metadata: ["device": deviceID, "path": path, "errno": "\(failure)"])
  }

  private func path(_ attribute: Attribute) -> String { "\(folder)/\(attribute.rawValue)" }

  private func isWritable(_ attribute: Attribute) -> Bool { access(path(attribute), W_OK) == 0 }

  private func read(_ name: String) -> Int64? {
    guard let file = fopen("\(folder)/\(name)", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 32)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    return Int64(String(decoding: line.prefix { $0 > 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
}
