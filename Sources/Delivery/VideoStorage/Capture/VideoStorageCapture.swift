public import CaptureCore
internal import Synchronization

/// A movie that is written to the video storage, and moves to its place when it is finished. Until then there is no
/// file at that place. A movie that is neither finished nor discarded moves as far as it is on the disk, when this
/// object goes or when the next daemon starts.
///
/// One thread at a time may use a capture. A thread that has written flushes before it ends, because the kernel breaks
/// off the writes of a thread that is gone.
public final class VideoStorageCapture: @unchecked Sendable {
  // Unchecked, because of the rule of the threads above.
  private let storage: VideoStorage
  private let folder: PoolFolder
  private let writer: BlockWriter
  private var entry: CaptureEntry
  private var isEnded = false

  init(of storage: VideoStorage, _ folder: PoolFolder, _ writer: BlockWriter, _ entry: CaptureEntry) {
    (self.storage, self.folder, self.writer, self.entry) = (storage, folder, writer, entry)
  }

  deinit { if !isEnded { storage.move(entry) } }

  /// The number of bytes that were written.
  public var size: UInt64 { writer.size }
  /// The number of bytes that outlive a power failure.
  public var acknowledgedSize: UInt64 { entry.length }
  /// The number of bytes that ``write(_:)`` takes without waiting for the disk. A caller that must not wait looks here
  /// first, and counts what it leaves out.
  public var room: Int { get throws(CaptureError) { try writer.room } }

  /// Appends bytes. Waits for the disk when there is no ``room``.
  ///
  /// - Throws: `videoStorageFull`, with the errno of a full disk, when the storage has no room for all bytes, of which
  ///   none are taken then; `processingFailed` when the disk fails, also at each later call.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
    try writer.write(bytes)
    storage.wrote(upTo: UInt64(AlignedBytes.whole(Int(size))))
  }

  /// Waits until all bytes so far are on the disk and acknowledged. Blocks.
  ///
  /// - Throws: `processingFailed` when the disk fails, also at each later call.
  public func flush() throws(CaptureError) {
    try writer.flush()
    entry.length = size
    try folder.ledger.write(entry)
  }

  /// Moves the movie to its place, where it is complete and on the disk when this method returns. After an error it can
  /// be called again; the movie stays in the storage meanwhile, and the storage stays busy.
  ///
  /// - Parameters:
  ///   - length: where the movie ends; nil for everything that was written. After an error of the disk only
  ///     ``acknowledgedSize`` bytes are sure.
  ///   - progress: called on a thread of the storage with the number of bytes that have moved.
  /// - Throws: `processingFailed` when the disk fails, or when there is a file at the place.
  public func finish(
    length: UInt64? = nil, progress: @escaping @Sendable (UInt64) -> Void = { _ in }
  ) async throws(CaptureError) {
    try await storage.thread.perform { [self] () throws(CaptureError) in
      let end = min(length ?? size, size)
      if end > entry.length { try flush() }
      entry.length = end
      try folder.ledger.write(entry)
      try storage.finish(CaptureMove(folder: folder, entry: entry), progress)
      isEnded = true
    }
  }

  /// Forgets the movie. Its space can be written again at once.
  public func discard() async throws(CaptureError) {
    try await storage.thread.perform { [self] () throws(CaptureError) in
      entry.length = 0
      try storage.finish(CaptureMove(folder: folder, entry: entry)) { _ in }
      isEnded = true
    }
  }
}
