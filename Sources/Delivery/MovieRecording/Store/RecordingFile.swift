public import CaptureCore
internal import Synchronization
internal import VideoCoding

/// The file of a recording, open for reading. It stays readable when the recording is deleted. Thread-safe.
public final class RecordingFile: Sendable {
  /// The most bytes of one read.
  public static let maximumRead = 1 << 20

  /// When the file had last been written as it was opened, in seconds since 1970 (UTC).
  public let modificationTime: Int64
  private let descriptor: Descriptor
  private let length: PlayableLength
  private let thread: DiskThread

  init(_ descriptor: consuming Descriptor, length: PlayableLength, thread: DiskThread) throws(CaptureError) {
    modificationTime = try descriptor.modificationTime()
    self.descriptor = descriptor
    self.length = length
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
      try descriptor.read(at: offset, count: wanted)
    }
  }
}

extension RecordingFile {
  /// Reads where the samples of a file in MP4 or QuickTime lie. Blocks.
  ///
  /// - Parameter size: samples that end after so many bytes are left out.
  /// - Throws: as ``MovieIndex/init(of:container:codec:size:)``.
  func index(of record: RecordingRecord, size: UInt64) throws(CaptureError) -> MovieIndex {
    // The file must stay open until libavformat has opened it by this path.
    try withExtendedLifetime(self) { () throws(CaptureError) in
      try MovieIndex(
        of: "/proc/self/fd/\(descriptor.number)", container: record.container, codec: record.codec, size: size)
    }
  }
}

/// The number of bytes of a recording's file that play, which the store and all open files of the recording share.
final class PlayableLength: Sendable {
  let value: Atomic<UInt64>

  init(_ value: UInt64) { self.value = Atomic(value) }
}
