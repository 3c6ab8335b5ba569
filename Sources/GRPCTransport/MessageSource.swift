/// Where the messages of a stream come from that no task waits for, one by one: see ``ResponseWriter/write(from:)``.
public protocol MessageSource: Sendable {
  typealias Receiver = @Sendable (Result<LentMessage, any Error>) -> Void

  /// Calls `receiver` once with the next message: at once, or later on whichever thread has it. An error ends the stream.
  ///
  /// The message is written on that thread. That does not block: it fills the socket's buffer, and gRPC's threads do the
  /// rest.
  func next(_ receiver: @escaping Receiver)

  /// Answers a call of ``next(_:)`` that still waits with an error. Nothing may get lost by it.
  func abandonNext()
}
