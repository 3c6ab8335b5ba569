internal import CaptureSessions
internal import Foundation
internal import SystemFiles

/// The file that keeps the measured throughput from one start of the daemon to the next.
struct MachineFile {
  private struct Content: Codable {
    var key: String
    var core: CoreThroughput
  }

  private static let name = "machine.json"

  let folder: DataFolder
  /// Names the machine and the daemon that were measured. A file with another key does not count, so that another
  /// machine, or another version of the daemon, measures anew.
  let key: String

  /// The measured throughput. Nil when there is no file, or when the file has another key or makes no sense.
  func read() -> CoreThroughput? {
    guard let bytes = folder.read(Self.name, atMost: 1 << 16),
      let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.key == key
    else { return nil }
    let core = content.core
    let isPlausible = [core.copiedBytes, core.convertedPixels, core.encodedPixels].allSatisfy { $0.isFinite && $0 > 0 }
    return isPlausible ? core : nil
  }

  /// Replaces the file as a whole, or leaves the old file unchanged.
  func write(_ core: CoreThroughput) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    if let data = try? encoder.encode(Content(key: key, core: core)) { folder.write(Self.name, [UInt8](data)) }
  }
}
