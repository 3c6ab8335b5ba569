/// Tells how a write ended: with success, or with the error that the handler gets.
package typealias WriteCompletion = @Sendable (Result<Void, any Error>) -> Void

/// The messages of one call as bytes. A transport implements it, and streams of handlers use it.
package protocol CallTransport: Sendable {
  /// Returns the client's next message, or nil after the last one.
  ///
  /// - Throws: `CancellationError` once the call or the task is cancelled.
  func read() async throws -> (any ReceivedBytes)?
  /// Writes a message. Returns when the transport has taken it and little of this connection is unsent, so that a slow
  /// client slows the handler.
  ///
  /// - Throws: `CancellationError` once the call or the task is cancelled.
  func write(_ message: LentMessage) async throws
  /// Writes a message for a caller that does not wait. The transport calls `completion` once, on any thread, perhaps
  /// before this function returns.
  func write(_ message: LentMessage, completion: @escaping WriteCompletion)
  /// Answers a write under way with a `CancellationError`.
  func abandonWrite()
  /// A longer request fails with `RESOURCE_EXHAUSTED` `REQUEST_TOO_LARGE`.
  var maximumRequestBytes: Int { get }
}
