/// Readiness as it changes, the present value first. A slow watcher gets the newest value and misses those before it.
///
/// The sequence throws the `CaptureError` that closed the output. It ends without an error when the task that reads it
/// is cancelled.
public struct ReadinessUpdates: AsyncSequence, Sendable {
  /// The name of this watcher, by which a client can track captures.
  public let token: String
  // An element only says that readiness changed. The iterator reads the value afterwards, so the value is never
  // outdated.
  let changes: AsyncThrowingStream<Void, any Error>
  let current: @Sendable () -> CaptureReadiness

  /// Reads the value after each change, and leaves out values that are the same as before.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var changes: AsyncThrowingStream<Void, any Error>.AsyncIterator
    let current: @Sendable () -> CaptureReadiness
    var last: CaptureReadiness?

    /// Waits for the next readiness. Returns nil when the updates have ended.
    public mutating func next() async throws -> CaptureReadiness? {
      while try await changes.next() != nil {
        let readiness = current()
        if readiness == last { continue }
        last = readiness
        return readiness
      }
      return nil
    }
  }

  /// Begins to read the updates.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(changes: changes.makeAsyncIterator(), current: current)
  }
}
