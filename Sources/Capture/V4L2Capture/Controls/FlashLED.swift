internal import CaptureCore
internal import Glibc

/// The files of an LED of the kernel that lights what cameras see: one whose name says flash or torch, under
/// `/sys/class/leds`.
///
/// `brightness` is the torch; LEDs of the flash class (`flash_strobe`) can be struck too. Its calls take microseconds.
struct FlashLED: Hashable, Sendable {
  /// One of its files.
  enum Attribute: String { case brightness, flashStrobe = "flash_strobe", flashTimeout = "flash_timeout" }

  private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!

  let folder: String

  /// Every such LED, by name.
  static func all(sysfs: String) -> [FlashLED] {
    let leds = "\(sysfs)/class/leds"
    guard let directory = opendir(leds) else { return [] }
    defer { closedir(directory) }
    var found: [FlashLED] = []
    while let entry = readdir(directory) {
      // Not by `pointee`: an entry is as long as its name.
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: Self.nameOffset).assumingMemoryBound(to: CChar.self))
      if name.contains("flash") || name.contains("torch") { found.append(FlashLED(folder: "\(leds)/\(name)")) }
    }
    return found.sorted { $0.folder < $1.folder }
  }

  /// Whether this process may light it.
  var isWritable: Bool { isWritable(.brightness) }
  var canStrike: Bool { isWritable(.flashStrobe) }

  /// 0 is dark.
  var brightness: Int64 { read(Attribute.brightness.rawValue) ?? 0 }
  var maxBrightness: Int64 { max(1, read("max_brightness") ?? 1) }
  /// How long a strobe lasts, µs; nil when that cannot be set.
  var timeout: Int64? { maxTimeout > 0 ? read(Attribute.flashTimeout.rawValue) : nil }
  var maxTimeout: Int64 { read("max_flash_timeout") ?? 0 }

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
