/// How a call ends.
package enum CallStatus: Sendable {
  /// The handler succeeded. The response is that of a method that has a single one, and nil for a stream.
  case ok(LentMessage?)
  /// The call failed. The error has its `ErrorInfo` and domain already.
  case error(RPCError)
}
