internal import CaptureCore
internal import Synchronization

/// Runs calls that block on a camera: each camera that is asked something has a thread while it is. One that does not answer, which
/// takes seconds, keeps only those waiting who ask it.
final class CameraThreads: Sendable {
  /// Given an error when the camera gets no thread.
  private typealias Job = @Sendable (CaptureError?) -> Void

  /// What waits for each camera's thread, by camera; nothing for those without a thread. Bounded by its users: each waits for an
  /// answer.
  private let waiting = Mutex<[String: [Job]]>([:])

  /// Runs `body` on the camera's thread, after everything asked of that camera earlier. Not cancellable.
  ///
  /// - Throws: what `body` throws; `processingFailed` when the system gives no thread.
  func perform<R: Sendable>(
    on deviceID: String, _ body: @escaping @Sendable () throws(CaptureError) -> R
  ) async throws(CaptureError) -> R {
    let result: Result<R, CaptureError> = await withCheckedContinuation { continuation in
      let needsThread = waiting.withLock { waiting in
        let needsThread = waiting[deviceID] == nil
        waiting[deviceID, default: []].append { failure in
          continuation.resume(
            returning: Result { () throws(CaptureError) in
              if let failure { throw failure }
              return try body()
            })
        }
        return needsThread
      }
      guard needsThread else { return }
      do throws(CaptureError) {
        try WorkerThread.start(name: "v4l2 calls") { [self] in
          while let job = next(deviceID) { job(nil) }
        }
      } catch {
        while let job = next(deviceID) { job(error) }
      }
    }
    return try result.get()
  }

  /// Nil at the end of the camera's thread: who asks from now on starts another.
  private func next(_ deviceID: String) -> Job? {
    waiting.withLock { waiting in
      if waiting[deviceID]?.isEmpty != false {
        waiting[deviceID] = nil
        return nil
      }
      return waiting[deviceID]?.removeFirst()
    }
  }
}
