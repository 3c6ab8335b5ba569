internal import CaptureCore

/// Readiness as it changes, the present value first. A slow watcher gets the newest value and misses those before it.
///
/// The sequence throws the `CaptureError` that closed the output. It ends without an error when the task that reads it
/// is cancelled.
public struct ReadinessUpdates: AsyncSequence, Sendable {
  /// The name of this watcher, by which a client can track captures.
  public let token: String
  // An element only says that readiness changed. The iterator reads the value afterwards, so the value is never
  // outdated.
  let changes: AsyncStream<Void>
  /// Readiness, and the error that closed the output.
  let current: @Sendable () -> (CaptureReadiness, closed: CaptureError?)

  /// Reads the value after each change, and leaves out values that are the same as before.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var changes: AsyncStream<Void>.AsyncIterator
    let current: @Sendable () -> (CaptureReadiness, closed: CaptureError?)
    var last: CaptureReadiness?

    /// Waits for the next readiness. Returns nil when the updates have ended.
    public mutating func next() async throws -> CaptureReadiness? {
      while !Task.isCancelled {
        let (readiness, closed) = current()
        if let closed { throw closed }
        if readiness != last {
          last = readiness
          return readiness
        }
        guard await changes.next() != nil else { break }
      }
      if !Task.isCancelled, let closed = current().closed { throw closed }
      return nil
    }
  }

  /// Begins to read the updates.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(changes: changes.makeAsyncIterator(), current: current)
  }
}
