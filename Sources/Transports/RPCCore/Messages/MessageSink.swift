/// Where a ``MessagePump`` moves messages to, one at a time: a call, or the body of an answer.
package protocol MessageSink: Sendable {
  /// Writes a message and returns without waiting for the end of the write. The transport calls `completion` exactly
  /// once, on any thread, possibly before this function returns.
  func write(_ message: LentMessage, completion: @escaping WriteCompletion)
  /// Ends the write under way for its caller: the transport calls the write's completion with an error. Does nothing
  /// when no write is under way. From any thread.
  func abandonWrite()
}
