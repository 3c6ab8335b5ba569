internal import CaptureCore
internal import Locking
internal import OverlayDrawing

/// Decodes the images of overlays, one overlay after the other for the whole daemon. A small file may contain a large
/// picture, so decoding takes the memory of only one overlay at a time, however many calls bring overlays at once. The
/// decoded images share the budget ``memory``.
///
/// The decoder has a thread of its own, because decoding takes milliseconds and must not block Swift's thread pool.
/// Thread-safe.
final class ImageDecoder: Sendable {
  /// The decoder of the daemon. At most 64 overlays wait, and decoded images take at most 256 MiB.
  static let shared = ImageDecoder(depth: 64, budget: 256 << 20)

  /// The budget of all decoded images. An image takes its share until its last user lets go of the image.
  let memory: ImageMemory
  private let jobs: Mailbox<@Sendable () -> Void>
  /// Whether the thread runs. The first ``run(_:)`` starts the thread.
  private let hasThread = Locked(false)

  /// Makes a decoder without a thread; the first ``run(_:)`` starts the thread.
  ///
  /// - Parameters:
  ///   - depth: the largest number of overlays that wait.
  ///   - budget: the largest number of bytes that all decoded images in use may take.
  init(depth: Int, budget: Int) { (jobs, memory) = (Mailbox(depth: depth), ImageMemory(budget: budget)) }

  deinit { jobs.close() }

  /// Runs `body` on the decoder's thread, after the bodies of all earlier calls, and returns its result.
  ///
  /// - Throws: the error that `body` throws; `tooManyRequests` when the largest number of overlays waits already;
  ///   `processingFailed` when the system cannot create a thread.
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
