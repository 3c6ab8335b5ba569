import CaptureCore
import Foundation
import Logging
import Synchronization
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// A folder of recordings for a test, which goes with this object.
final class StoreFolder: Sendable {
  let path = "\(StoreFolder.parent)/firstlight-recordings-\(UUID().uuidString)"
  /// A file system in memory where there is one: a store syncs all that it writes, and a test waits for no disk.
  private static let parent =
    FileManager.default.isWritableFile(atPath: "/dev/shm")
    ? "/dev/shm" : FileManager.default.temporaryDirectory.path
  /// What stores of this folder logged.
  let log = Lines()

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func open(with storage: any MovieStorage) throws -> RecordingStore {
    try RecordingStore(folder: path, logger: Logger(label: "test") { [log] _ in log }, videoStorage: storage)
  }

  func open(
    counters: RecordingCounters = RecordingCounters(), boot: String = "",
    capacity: Int = RecordingStore.maximumRecordings
  ) throws -> RecordingStore {
    try open(at: path, counters: counters, boot: boot, capacity: capacity)
  }

  /// Opens another folder.
  func open(
    at path: String, counters: RecordingCounters = RecordingCounters(), boot: String = "",
    capacity: Int = RecordingStore.maximumRecordings
  ) throws -> RecordingStore {
    try RecordingStore(
      folder: path, logger: Logger(label: "test") { [log] _ in log }, counters: counters, boot: boot,
      capacity: capacity)
  }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { "\(path)/\(name)" }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

  /// Writes a file, and makes its folders.
  func write(_ name: String, _ bytes: Data) throws {
    let url = URL(fileURLWithPath: path(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: url)
  }

  /// Puts the record of a recording into a folder that no store has open.
  func write(_ record: RecordingRecord) throws {
    try write(".firstlight/\(record.id).json", JSONEncoder().encode(record))
  }

  /// The record on the disk.
  func record(_ id: String) throws -> RecordingRecord {
    try JSONDecoder().decode(RecordingRecord.self, from: bytes(".firstlight/\(id).json"))
  }

  /// A record in the state `recording`.
  static func record(
    _ id: String, file: String, session: String = "s1", container: MovieContainer = .mp4, time: UInt64 = 1
  ) -> RecordingRecord {
    var record = RecordingRecord(
      id: id, session: session, output: "movie", file: file, container: container, codec: .h264,
      size: Size(width: 256, height: 96), requestTime: WallInstant(nanoseconds: time))
    record.state = .recording
    return record
  }
}

extension RecordingStore {
  /// Reserves a recording with the standard settings.
  func reserve(_ file: String = "", session: String = "s1") async throws(CaptureError) -> RecordingRecord {
    try await reserve(
      session: session, output: "movie", file: file, settings: RecordingSettings(), size: Size(width: 256, height: 96))
  }

  /// A finished recording whose file has these bytes.
  func recording(_ file: String = "", session: String = "s1", _ bytes: Data) async throws -> RecordingRecord {
    var record = try await reserve(file, session: session)
    try bytes.write(to: URL(fileURLWithPath: path(of: record)))
    record.tally.fileSize = UInt64(bytes.count)
    record.end = .stopped
    try await finish(record)
    record.state = .finished
    record.isUsable = true
    return record
  }
}

/// A log handler that keeps the lines with their metadata.
final class Lines: LogHandler, Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }

  subscript(metadataKey _: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) {
    let line = "\(event.level) \(event.message) \(event.metadata ?? [:])"
    lines.withLock { $0.append(line) }
  }
}
