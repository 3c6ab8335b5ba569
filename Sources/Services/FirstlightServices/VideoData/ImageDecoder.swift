internal import CaptureCore
internal import OverlayDrawing
internal import Synchronization

/// Decodes images of overlays, one overlay after the other for the whole daemon: small files may hold large pictures, so however
/// many calls come at once, their memory is that of one. What is kept of them has a budget, ``memory``. On a thread of its own, because decoding takes milliseconds,
/// which Swift's pool is not for. Thread-safe.
final class ImageDecoder: Sendable {
  static let shared = ImageDecoder(depth: 64, budget: 256 << 20)

  /// What decoded images take, as long as anybody has them.
  let memory: ImageMemory
  private let jobs: Mailbox<@Sendable () -> Void>
  private let hasThread = Mutex(false)

  /// - Parameters:
  ///   - depth: how many overlays wait at most.
  ///   - budget: bytes of all images that were decoded and are still there.
  init(depth: Int, budget: Int) { (jobs, memory) = (Mailbox(depth: depth), ImageMemory(budget: budget)) }

  deinit { jobs.close() }

  /// Runs `body` after all that came before.
  ///
  /// - Throws: what `body` throws; `tooManyRequests` when too many wait; `processingFailed` when the system gives no thread.
  func run<R: Sendable>(_ body: @escaping @Sendable () throws(CaptureError) -> R) async throws(CaptureError) -> R {
    try start()
    let result: Result<R, CaptureError> = await withCheckedContinuation { continuation in
      if jobs.putIfRoom({ continuation.resume(returning: Result(catching: body)) }) { return }
      continuation.resume(
        returning: .failure(
          CaptureError(
            .tooManyRequests, "\(jobs.depth) overlays with images wait to be decoded already; try again later.",
            metadata: ["limit": "\(jobs.depth)", "of": "overlays"])))
    }
    return try result.get()
  }

  private func start() throws(CaptureError) {
    try hasThread.withLock { hasThread throws(CaptureError) in
      guard !hasThread else { return }
      try WorkerThread.start(name: "overlay-image") { [jobs] in
        while let job = jobs.take() { job() }
      }
      hasThread = true
    }
  }
}
