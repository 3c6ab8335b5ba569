/// Where a stream's messages come from when no task waits for each of them: see ``ResponseWriter/write(from:)``.
public protocol MessageSource: Sendable {
  typealias Receiver = @Sendable (Result<LentMessage, any Error>) -> Void

  /// Returns a function that asks for the next message. For each call of that function the source calls `receiver`
  /// once, at once or later, on the thread that has the message. An error ends the stream. The function is made once,
  /// so that a message costs no closures, and it keeps the source.
  ///
  /// The transport writes the message on that thread. That does not block: it fills the socket's buffer, and the
  /// transport's threads do the rest.
  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void

  /// Answers a question that still waits with an error. No message may get lost by it.
  func abandonNext()
}
