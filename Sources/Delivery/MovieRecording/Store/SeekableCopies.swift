internal import CaptureCore
internal import Locking

/// Runs the copies that put the index of finished movies in front, one after the other on a thread of their own, so
/// that other recordings and their records never wait for a copy. Thread-safe.
final class SeekableCopies: Sendable {
  /// The most copies that wait or are being made. Each belongs to a recording that is finishing.
  static let maximumCopies = 32

  private struct State {
    var count = 0
    var isCancelled = false
  }

  private let thread = DiskThread(name: "movie-index")
  private let state = Locked(State())

  /// Runs a copy after those that were requested earlier.
  ///
  /// - Parameter body: makes the copy. It asks its argument often, and ends with an error when the answer is true.
  /// - Throws: the error of `body`; `operationInterrupted` once the copies are cancelled; `tooManyRequests` when too
  ///   many copies wait; `processingFailed` when the system gives no thread.
  func perform<R: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws(CaptureError) -> R
  ) async throws(CaptureError) -> R {
    try state.withLock { state throws(CaptureError) in
      if state.isCancelled { throw Self.cancelled }
      guard state.count < Self.maximumCopies else {
        throw CaptureError(.tooManyRequests, "\(Self.maximumCopies) other movies wait to be copied.")
      }
      state.count += 1
    }
    defer { state.withLock { $0.count -= 1 } }
    return try await thread.perform { [self] () throws(CaptureError) in
      if isCancelled { throw Self.cancelled }
      return try body { isCancelled }
    }
  }

  /// Ends the copy that is being made and those that wait. No other copy follows.
  func cancel() { state.withLock { $0.isCancelled = true } }

  private var isCancelled: Bool { state.withLock(\.isCancelled) }

  private static var cancelled: CaptureError { CaptureError(.operationInterrupted, "The daemon is shutting down.") }
}
