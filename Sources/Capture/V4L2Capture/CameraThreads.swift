internal import CaptureCore
internal import Locking

/// Runs blocking calls to cameras, each camera's calls on a thread of its own. A camera has a thread only while calls
/// to that camera are pending. A camera that does not answer blocks its thread for seconds, and so delays only the
/// callers of the same camera.
final class CameraThreads: Sendable {
  /// One call to a camera. The argument is nil when the job runs on the camera's thread, or the error when the system
  /// gave the camera no thread.
  private typealias Job = @Sendable (CaptureError?) -> Void

  /// The pending jobs of each camera, by device id. A camera without a thread has no entry. The number of jobs is
  /// bounded by the number of callers, because each caller waits for its answer.
  private let waiting = Locked<[String: [Job]]>([:])

  /// Runs `body` on the camera's thread, after all calls to this camera that were requested earlier. Cancelling the
  /// task has no effect.
  ///
  /// - Throws: the error of `body`, or `processingFailed` when the system cannot create a thread.
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

  /// Takes the camera's next job. Nil when no job is left: the camera's thread ends then, and the next caller starts
  /// another thread.
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
