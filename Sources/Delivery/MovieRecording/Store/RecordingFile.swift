public import CaptureCore
internal import Synchronization
internal import SystemFiles
internal import VideoCoding

/// The file of a recording, open for reading. It stays readable when the recording is deleted. Thread-safe.
public final class RecordingFile: Sendable {
  /// The most bytes of one read.
  public static let maximumRead = 1 << 20

  /// When the file had last been written as it was opened, in seconds since 1970 (UTC).
  public let modificationTime: Int64
  /// Whether the index of the movie comes first. A recording may get such a file once, when it finishes. A file that is
  /// open by then stays what it is.
  public let isOptimizedForNetworkUse: Bool
  private let descriptor: Descriptor
  private let length: PlayableLength
  private let thread: DiskThread

  init(_ descriptor: Descriptor, of entry: RecordingCatalog.Entry, thread: DiskThread) throws(CaptureError) {
    modificationTime = try descriptor.status(RecordingFolder.looking).modificationTime
    isOptimizedForNetworkUse = entry.record.isOptimizedForNetworkUse
    length = entry.length
    self.descriptor = descriptor
    self.thread = thread
  }

  /// The number of bytes that play. It grows while the recording runs.
  public var size: UInt64 { length.value.load(ordering: .acquiring) }

  /// Reads bytes that play.
  ///
  /// - Parameters:
  ///   - offset: where in the file the bytes begin.
  ///   - count: how many bytes are wanted; more than ``maximumRead`` means ``maximumRead``.
  /// - Returns: fewer bytes at ``size``, and none beyond it.
  /// - Throws: `processingFailed` when the disk fails.
  public func read(at offset: UInt64, count: Int) async throws(CaptureError) -> [UInt8] {
    let left = size - min(offset, size)
    let wanted = min(max(0, count), Self.maximumRead, Int(clamping: left))
    guard wanted > 0 else { return [] }
    return try await thread.perform { [self] () throws(CaptureError) in
      try descriptor.read(at: offset, count: wanted, RecordingFolder.reading)
    }
  }
}

extension RecordingFile {
  /// Begins the table of the file's fragments. Nil when it has none.
  func beginTable(size: UInt64) async throws(CaptureError) -> FragmentTable? {
    try await thread.perform { [self] () throws(CaptureError) in
      var table = try FragmentTable(size: size, read: readAndWait)
      try table?.takeList(size: size, read: readAndWait)
      return table
    }
  }

  /// Adds the fragments that are new to the table. Returns whether there may be more.
  func extend(_ table: inout FragmentTable, to size: UInt64, atMost limit: Int) async throws(CaptureError) -> Bool {
    let former = table
    let (extended, hasMore) = try await thread.perform { [self] () throws(CaptureError) in
      var table = former
      let hasMore = try table.extend(to: size, atMost: limit, read: readAndWait)
      return (table, hasMore)
    }
    table = extended
    return hasMore
  }

  /// The file with an index of the fragments in its first `size` bytes. Nil when it has none.
  func index(of table: FragmentTable, to size: UInt64) async throws(CaptureError) -> IndexedRecording? {
    try await thread.perform { [self] () throws(CaptureError) in
      try table.index(to: size, read: readAndWait).map {
        IndexedRecording(self, index: $0.bytes, at: $0.place, end: $0.end)
      }
    }
  }

  /// Reads bytes of the file, also such that do not play yet. Blocks.
  func readAndWait(at offset: UInt64, count: Int) throws(CaptureError) -> [UInt8] {
    try descriptor.read(at: offset, count: count, RecordingFolder.reading)
  }

  /// Reads where the samples of a file in MP4 or QuickTime lie. Blocks.
  ///
  /// - Parameter size: samples that end after so many bytes are left out.
  /// - Throws: as ``MovieIndex/init(of:container:codec:size:)``.
  func index(of record: RecordingRecord, size: UInt64) throws(CaptureError) -> MovieIndex {
    try descriptor.withPath { path throws(CaptureError) in
      try MovieIndex(
        of: path, container: record.container, codec: record.codec, audioCodec: record.audioCodec, size: size)
    }
  }
}

extension RecordingFile {
  /// Reads what a file in MP4 or QuickTime tells once about its tracks. Blocks.
  ///
  /// - Throws: as ``MovieForm/init(of:container:)``.
  func form(_ container: MovieContainer) throws(CaptureError) -> MovieForm { try descriptor.form(container) }
}

extension Descriptor {
  /// Reads what a file in MP4 or QuickTime tells once about its tracks. Blocks.
  ///
  /// - Throws: as ``MovieForm/init(of:container:)``.
  func form(_ container: MovieContainer) throws(CaptureError) -> MovieForm {
    try withPath { path throws(CaptureError) in try MovieForm(of: path, container: container) }
  }
}

/// The number of bytes of a file that play, which the store and all who have that file open share.
final class PlayableLength: Sendable {
  let value: Atomic<UInt64>

  init(_ value: UInt64) { self.value = Atomic(value) }
}
