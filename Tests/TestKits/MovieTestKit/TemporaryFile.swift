internal import Foundation
internal import Testing

/// A path in the temporary folder. The file there goes with this object.
public final class TemporaryFile {
  /// The path of the file.
  public let path: String

  /// A new path with this extension. No file is made.
  public init(_ fileExtension: String) {
    let name = "firstlight-\(UUID().uuidString).\(fileExtension)"
    path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Opens a new file at the path for writing.
  public func create() throws -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    return descriptor
  }

  /// Replaces the file by one with these bytes.
  public func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
}
