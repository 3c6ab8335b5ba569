internal import SwiftProtobuf

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

/// A whole call, as a transport hands it to ``CallExecutor``.
package protocol IncomingCall: CallTransport {
  var context: CallContext { get }
  /// True once the client is gone or the deadline has passed.
  var isCancelled: Bool { get }
  /// Returns when the call is cancelled or when the executor has called ``handled()``. The executor calls it once.
  func waitForCancellation() async
  /// Ends ``waitForCancellation()``, because the handler has returned.
  func handled()
  /// Sends the status and ends the call. The executor calls it once, before ``handled()``.
  func finish(_ status: CallStatus, trailingMetadata: Metadata)
}

/// The bytes of one message from the client, in memory of the transport.
package protocol ReceivedBytes: Sendable {
  var count: Int { get }
  /// Calls `body` with the bytes, which do not change.
  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
}
