/// The outcome of a call, which the transport sends to the client.
package enum CallStatus: Sendable {
  /// The handler succeeded. The value is the response of a method with a single response, and nil for a method with a
  /// stream of responses.
  case ok(LentMessage?)
  /// The call failed. The executor has already given the error an `ErrorInfo` with a domain.
  case error(RPCError)
}
