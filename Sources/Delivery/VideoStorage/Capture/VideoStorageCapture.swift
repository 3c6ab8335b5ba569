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
  private let moves: CaptureMoves
  private let folder: PoolFolder
  /// Nil once the capture has ended. It has files open, whose space the disk gets back only when they are closed.
  private var writer: BlockWriter?
  private var entry: CaptureEntry
  private let movesToOtherFileSystem: Bool

  init(
    _ moves: CaptureMoves, _ folder: PoolFolder, _ writer: BlockWriter, _ entry: CaptureEntry,
    movesToOtherFileSystem: Bool
  ) {
    (self.moves, self.folder, self.writer, self.entry) = (moves, folder, writer, entry)
    self.movesToOtherFileSystem = movesToOtherFileSystem
  }

  deinit { if let writer { moves.takeOver(entry, from: writer) } }

  /// The absolute path that the movie gets when it is finished.
  public var target: String { entry.target }
  /// The number of bytes that were written.
  public var size: UInt64 { writer?.size ?? entry.length }
  /// The number of free bytes of the target's file system that the movie takes when it moves. Between file systems
  /// there is no room in exchange for it.
  public var bytesForMove: UInt64 { movesToOtherFileSystem ? size : 0 }
  /// The number of bytes that outlive a power failure.
  public var acknowledgedSize: UInt64 { entry.length }
  /// The number of bytes that ``write(_:)`` takes without waiting for the disk. A caller that must not wait looks here
  /// first, and counts what it leaves out.
  public var room: Int { get throws(CaptureError) { try writer?.room ?? 0 } }

  /// Appends bytes. Waits for the disk when there is no ``room``.
  ///
  /// - Throws: `videoStorageFull`, with the errno of a full disk, when the storage has no room for all bytes, of which
  ///   none are taken then; `processingFailed` when the disk fails, also at each later call.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
    try openWriter.write(bytes)
    moves.wrote(upTo: UInt64(AlignedBytes.whole(Int(size))))
  }

  /// Waits until all bytes so far are on the disk and acknowledged. Blocks.
  ///
  /// - Throws: `processingFailed` when the disk fails, also at each later call.
  public func flush() throws(CaptureError) {
    try openWriter.flush()
    try acknowledge(size)
  }

  private var openWriter: BlockWriter {
    guard let writer else { preconditionFailure("a capture that has ended") }
    return writer
  }

  private func acknowledge(_ length: UInt64) throws(CaptureError) {
    var next = entry
    next.length = length
    try folder.ledger.write(next)
    entry = next
  }

  /// Moves the movie to its place, where it is complete and on the disk when this method returns. After an error it can
  /// be called again; the movie stays in the storage meanwhile, and the storage stays busy. Does nothing once the
  /// capture is finished or discarded.
  ///
  /// - Parameters:
  ///   - length: where the movie ends; nil for everything that was written. After an error of the disk only
  ///     ``acknowledgedSize`` bytes are sure.
  ///   - progress: called on a thread of the storage with the number of bytes that have moved.
  /// - Throws: `processingFailed` when the disk fails, or when there is a file at the place.
  public func finish(
    length: UInt64? = nil, progress: @escaping @Sendable (UInt64) -> Void = { _ in }
  ) async throws(CaptureError) {
    try await end { [self] writer throws(CaptureError) in
      let end = min(length ?? size, size)
      if end > entry.length { try flush() } else { writer.drain() }
      try acknowledge(end)
      try moves.finish(CaptureMove(folder: folder, entry: entry), progress)
    }
  }

  /// Forgets the movie. Its space can be written again at once. Does nothing once the capture is finished or discarded.
  public func discard() async throws(CaptureError) {
    try await end { [self] writer throws(CaptureError) in
      writer.drain()
      // A crash must not leave a movie of which a part is gone already.
      try acknowledge(0)
      try moves.finish(CaptureMove(folder: folder, entry: entry)) { _ in }
    }
  }

  /// Leaves the movie to the storage, which moves what is on the disk as soon as that succeeds. Does nothing once the
  /// capture is finished or discarded.
  public func leave() async {
    try? await end { [self] writer throws(CaptureError) in moves.takeOver(entry, from: writer) }
  }

  private func end(
    _ body: @escaping @Sendable (BlockWriter) throws(CaptureError) -> Void
  ) async throws(CaptureError) {
    try await moves.thread.perform { [self] () throws(CaptureError) in
      guard let writer else { return }
      try body(writer)
      self.writer = nil
    }
  }
}
