/// Where the messages of a stream come from that no task waits for, one by one: see ``ResponseWriter/write(from:)``.
public protocol MessageSource: Sendable {
  typealias Receiver = @Sendable (Result<LentMessage, any Error>) -> Void

  /// A function that asks for the next message: with each call of it `receiver` is called once, at once or later on
  /// whichever thread has the message. An error ends the stream. Made once, so that a message costs no closures; it keeps
  /// the source.
  ///
  /// The message is written on that thread. That does not block: it fills the socket's buffer, and gRPC's threads do the
  /// rest.
  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void

  /// Answers a question that still waits with an error. Nothing may get lost by it.
  func abandonNext()
}
