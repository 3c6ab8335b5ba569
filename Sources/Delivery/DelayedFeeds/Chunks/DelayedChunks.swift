/// One reader of a preview in chunks. When the reader is detached or released, its chunks go. Thread-safe, but
/// ``next()`` has only one caller at a time.
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
        // A cancellation that came before the thread had the continuation found nothing to end.
        if Task.isCancelled { thread.abandon() }
      }
    } onCancel: {
      thread.abandon()
    }
  }

  /// Leaves the preview. Further calls do nothing.
  public func detach() { thread.end(CancellationError()) }
}
