/// A function that the transport calls when a write has ended. The result is a success, or the error that the handler
/// gets.
package typealias WriteCompletion = @Sendable (Result<Void, any Error>) -> Void

/// Reads and writes the messages of one call as bytes. Each transport implements this protocol. ``RequestStream`` and
/// ``ResponseWriter``, which handlers use, are built on it.
package protocol CallTransport: MessageSink {
  /// Returns the client's next message, or nil after the last one.
  ///
  /// - Throws: `CancellationError` once the call or the task is cancelled, ``RPCError`` when another read is under way.
  func read() async throws -> (any ReceivedBytes)?
  /// Writes a message. Returns when the transport has taken the message and the connection has few bytes left to send,
  /// so that a slow client slows the handler down.
  ///
  /// - Throws: `CancellationError` once the call or the task is cancelled, ``RPCError`` when another write is under
  ///   way.
  func write(_ message: LentMessage) async throws
  /// The largest request that the call accepts, in bytes. A larger request fails with `RESOURCE_EXHAUSTED`
  /// `REQUEST_TOO_LARGE`.
  var maximumRequestBytes: Int { get }
}
