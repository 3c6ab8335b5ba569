internal import CaptureSession
internal import Foundation

/// Where what was measured is kept from one start to the next.
struct MachineFile {
  private struct Content: Codable {
    var key: String
    var core: CoreThroughput
  }

  let path: String
  /// Of what was measured, with what: another machine or another daemon measures anew.
  let key: String

  /// Nil when there is none, of another key, or one that makes no sense.
  func read() -> CoreThroughput? {
    guard let data = FileManager.default.contents(atPath: path),
      let content = try? JSONDecoder().decode(Content.self, from: data), content.key == key
    else { return nil }
    let core = content.core
    let isPlausible = [core.copiedBytes, core.convertedPixels, core.encodedPixels].allSatisfy { $0.isFinite && $0 > 0 }
    return isPlausible ? core : nil
  }

  /// Replaces the file at once or not at all, and makes its folder.
  func write(_ core: CoreThroughput) throws {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(Content(key: key, core: core)).write(to: url, options: .atomic)
  }
}
