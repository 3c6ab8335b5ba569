/// A source of messages for a stream whose messages no task waits for. ``ResponseWriter/write(from:)`` takes such a
/// source.
public protocol MessageSource: Sendable {
  /// Receives the next message, or the error that ends the stream.
  typealias Receiver = @Sendable (Result<LentMessage, any Error>) -> Void

  /// Returns a function that asks for the next message. Each time the function is called, the source calls `receiver`
  /// exactly once, immediately or later, on the thread that has the message. An error ends the stream. The returned
  /// function retains the source. A stream makes the function once, so that no message costs a closure.
  ///
  /// The transport writes the message on the thread that called `receiver`. The write does not block: it copies what
  /// fits into the socket's send buffer, and the transport's threads send the rest later.
  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void

  /// Gives an error to a receiver that still waits for a message. The source must not lose a message by this.
  func abandonNext()
}
