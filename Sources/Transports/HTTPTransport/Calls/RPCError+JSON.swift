internal import RPCCore

extension RPCError {
  /// The error of a response that has no JSON form.
  static var notJSON: RPCError {
    RPCError(.internal, "The response has no JSON form. Ask for the binary form.", reason: "INTERNAL")
  }
}
