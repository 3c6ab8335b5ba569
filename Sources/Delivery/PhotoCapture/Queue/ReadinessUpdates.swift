/// Readiness as it changes: the present value first. Whoever is slow to read gets the newest value, not each.
///
/// Ends by throwing the `CaptureError` that closed the output, or quietly when the reading task is cancelled.
public struct ReadinessUpdates: AsyncSequence, Sendable {
  /// Names this watcher.
  public let token: String
  // Says only that something changed. The value is read afterwards, so that it cannot be outdated by the one before.
  let changes: AsyncThrowingStream<Void, any Error>
  let current: @Sendable () -> CaptureReadiness

  public struct AsyncIterator: AsyncIteratorProtocol {
    var changes: AsyncThrowingStream<Void, any Error>.AsyncIterator
    let current: @Sendable () -> CaptureReadiness
    var last: CaptureReadiness?

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

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(changes: changes.makeAsyncIterator(), current: current)
  }
}
