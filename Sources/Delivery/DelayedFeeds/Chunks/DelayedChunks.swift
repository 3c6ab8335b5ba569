public import CaptureCore
public import FrameDelivery

/// One reader of a preview in chunks. When the reader is detached or released, its chunks are deleted. Thread-safe, but
/// only one caller at a time may wait in ``next()``.
public final class DelayedChunks: Sendable {
  private let thread: ChunkThread

  init(_ thread: ChunkThread) { self.thread = thread }

  deinit { thread.end(CancellationError()) }

  /// Waits for the next event. The first one is a status.
  ///
  /// - Throws: `CaptureError` when the preview was closed or a chunk cannot be written; `CancellationError` when the
  ///   task was cancelled or the reader detached.
  public func next() async throws -> ChunkEvent {
    try Task.checkCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        thread.ask(continuation)
        // End the wait here if the task was cancelled before the thread had the continuation, because that cancellation
        // found nothing to end.
        if Task.isCancelled { thread.abandon() }
      }
    } onCancel: {
      thread.abandon()
    }
  }

  /// Leaves the preview. Further calls do nothing.
  public func detach() { thread.end(CancellationError()) }
}

/// What a reader of chunks gets.
public enum ChunkEvent: Sendable {
  /// The status of the preview now. Its token is empty.
  case status(PreviewStatus)
  /// A part of a chunk.
  case part(ChunkPart)
}

/// At most ``largest`` bytes of a chunk.
public struct ChunkPart: Sendable {
  /// The most bytes of a part.
  public static let largest = 1 << 20

  /// The chunk and its number. Nil for all parts but the first one.
  public var chunk: (number: UInt64, facts: DelayedChunk)?
  /// Where the bytes lie in the file.
  public var offset: Int
  /// Whether no part of the chunk follows.
  public var isLast: Bool
  /// The bytes.
  public var bytes: [UInt8]
}

/// A chunk of a delayed feed: a movie in MP4 with pictures of one stream of the camera and of one size.
public struct DelayedChunk: Hashable, Sendable {
  /// When the first frame was captured.
  public var start: FrameTime
  /// From the capture of the first frame to the end of the last one, in nanoseconds.
  public var duration: UInt64
  /// The number of frames.
  public var frameCount: UInt64
  /// The stream of the frames.
  public var streamID: UInt64
  /// The driver's numbers of the first and the last frame.
  public var firstSequence, lastSequence: UInt64
  /// Frames that were lost in the chunk and since the chunk before, by cause.
  public var dropped = DropCounts()
  /// Frames that were left out in the chunk and since the chunk before, because the reader asked for fewer.
  public var omitted: UInt64 = 0
  /// The size of the pictures.
  public var size: Size
  /// The size of the file in bytes.
  public var byteCount: Int
}
