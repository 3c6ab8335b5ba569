internal import RPCCore

/// The errors of requests whose form is wrong.
extension RPCError {
  /// The error of a request that is compressed.
  ///
  /// - Parameter encoding: the name of the compression. Nil when the client did not say the name.
  static func compressionUnsupported(_ encoding: String?) -> RPCError {
    RPCError(
      .unimplemented, "The server does not decompress requests; the only encoding that it supports is identity.",
      reason: "COMPRESSION_UNSUPPORTED", metadata: encoding.map { ["encoding": $0] } ?? [:])
  }

  /// The error of a body that breaks the rules of its protocol.
  static func malformedBody(_ message: String) -> RPCError {
    RPCError(.invalidArgument, message, reason: "MALFORMED_REQUEST")
  }
}
