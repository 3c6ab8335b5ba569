internal import Locking

/// Runs calls that wait for the disk, one after the other, on a thread of their own. There is a thread only while calls
/// are pending.
public final class DiskThread: Sendable {
  /// One call. The argument is nil on the thread, or the error when the system could not create a thread.
  private typealias Job = @Sendable (CaptureError?) -> Void

  /// The pending calls; nil without a thread. Each caller waits for its answer, or has one call pending for each
  /// recording that runs, so the number of calls is bounded.
  private let waiting = Locked<[Job]?>(nil)

  private let name: String

  /// Makes an object without a thread.
  ///
  /// - Parameter name: the name of the thread, at most 15 bytes.
  public init(name: String) { self.name = name }

  /// Runs `body` after all calls that were requested earlier. Cancelling the task has no effect.
  ///
  /// - Throws: the error of `body`, or `processingFailed` when the system cannot create a thread.
  public func perform<R: Sendable>(
    _ body: @escaping @Sendable () throws(CaptureError) -> R
  ) async throws(CaptureError) -> R {
    let result: Result<R, CaptureError> = await withCheckedContinuation { continuation in
      add { failure in
        continuation.resume(
          returning: Result { () throws(CaptureError) in
            if let failure { throw failure }
            return try body()
          })
      }
    }
    return try result.get()
  }

  /// Runs `body` after all calls that were requested earlier, and blocks the calling thread until it has run. Swift
  /// tasks must not use this method.
  ///
  /// - Throws: the error of `body`, or `processingFailed` when the system cannot create a thread.
  public func wait<R: Sendable>(_ body: @escaping @Sendable () throws(CaptureError) -> R) throws(CaptureError) -> R {
    let answer = Mailbox<Result<R, CaptureError>>(depth: 1)
    start { failure in
      answer.put(
        Result { () throws(CaptureError) in
          if let failure { throw failure }
          return try body()
        })
    }
    // Nothing closes the mailbox.
    return try answer.take()!.get()
  }

  /// Runs `body` after all calls that were requested earlier, and does not wait for it. The argument is nil on the
  /// thread. Without a thread, `body` runs at once, and the argument is the error.
  public func start(_ body: @escaping @Sendable (CaptureError?) -> Void) { add(body) }

  /// Runs `body` after all calls that were requested earlier, and does not wait for it. Without a thread, `body` does
  /// not run.
  public func enqueue(_ body: @escaping @Sendable () -> Void) { add { if $0 == nil { body() } } }

  private func add(_ job: @escaping Job) {
    let needsThread = waiting.withLock { waiting in
      let needsThread = waiting == nil
      waiting = (waiting ?? []) + [job]
      return needsThread
    }
    guard needsThread else { return }
    do throws(CaptureError) {
      try WorkerThread.start(name: name) { [self] in
        while let job = next() { job(nil) }
      }
    } catch {
      while let job = next() { job(error) }
    }
  }

  /// Takes the next call. Nil when no call is left: the thread ends then, and the next caller starts another one.
  private func next() -> Job? {
    waiting.withLock { waiting in
      if waiting?.isEmpty != false {
        waiting = nil
        return nil
      }
      return waiting?.removeFirst()
    }
  }
}
