internal import RPCCore

/// Sends the answers of one call in the form of the call's protocol.
protocol CallOutput: Sendable {
  /// Sends a message of a stream. Calls `completion` once, from any thread: with success when the kernel has the whole
  /// message, with an error when the connection is closed.
  func write(_ message: LentMessage, _ completion: @escaping WriteCompletion)
  /// Sends the end of the call. Called once, and not while a write is under way.
  func finish(_ status: CallStatus, _ trailingMetadata: Metadata)
  /// Closes the connection, because a write under way may never end. The write then fails.
  func abort()
  /// Returns when the kernel has the end of the call, or when the connection is closed.
  func waitForEnd() async
}
