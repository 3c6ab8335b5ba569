import CaptureCore
import Foundation
import Locking
import Logging
import Testing

@testable import VideoStorage

/// A folder for a storage with units of a mebibyte, which goes with this object.
final class StorageFolder {
  static let unitSize = 1 << 20

  /// The first folder of some that can hold a storage. Temporary folders are often in memory.
  private static let parent = [NSTemporaryDirectory(), "/var/tmp", FileManager.default.currentDirectoryPath]
    .first { PoolSupport.refusal(of: $0) == nil }
  /// Whether this machine has such a folder.
  static let isPossible = parent != nil

  let path: String

  init() throws {
    let real = try #require(Self.parent.flatMap { realpath($0, nil) })
    defer { free(real) }
    path = "\(String(cString: real))/firstlight-storage-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The folder of the units.
  var pool: String { "\(path)/\(PoolFolder.name)" }

  /// - Parameter sleep: waits before a movie is moved once more; by default for ever, in effect.
  func open(
    capacity: Int64? = nil,
    sleep: @escaping @Sendable (_ nanoseconds: UInt64) async -> Void = { _ in
      try? await Task.sleep(for: .seconds(3600))
    }
  ) -> VideoStorage {
    VideoStorage(
      folder: path, capacity: capacity, unitSize: Self.unitSize,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, sleep: sleep)
  }

  /// A storage with so many units, which is not busy.
  func open(units: Int) async throws -> VideoStorage {
    let storage = open()
    _ = try await storage.setCapacity(Int64(units * Self.unitSize))
    _ = await storage.idle()
    return storage
  }

  var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: pool).sorted() } }
  var units: [String] { get throws { try files.filter { $0.hasPrefix("unit-") } } }
  func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)"))) }
}

extension VideoStorage {
  /// The first state in which the storage is not busy.
  func idle() async -> VideoStorageState? { await states().first { $0.busyReason == nil } }
}

/// Bytes that differ from block to block.
func pattern(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ $0 >> 9) &+ seed }
}

extension VideoStorageCapture {
  func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }
}
