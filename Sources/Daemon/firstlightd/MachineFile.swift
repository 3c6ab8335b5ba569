internal import CaptureCore
internal import CaptureSessions
internal import Foundation

/// Where what was measured is kept from one start to the next.
struct MachineFile {
  private struct Content: Codable {
    var key: String
    var core: CoreThroughput
  }

  private static let name = "machine.json"

  let folder: DataFolder
  /// Of what was measured, with what: another machine or another daemon measures anew.
  let key: String

  /// Nil when there is none, of another key, or one that makes no sense.
  func read() -> CoreThroughput? {
    guard let bytes = folder.read(Self.name, atMost: 1 << 16),
      let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.key == key
    else { return nil }
    let core = content.core
    let isPlausible = [core.copiedBytes, core.convertedPixels, core.encodedPixels].allSatisfy { $0.isFinite && $0 > 0 }
    return isPlausible ? core : nil
  }

  /// Replaces the file at once or not at all.
  func write(_ core: CoreThroughput) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    if let data = try? encoder.encode(Content(key: key, core: core)) { folder.write(Self.name, [UInt8](data)) }
  }
}
