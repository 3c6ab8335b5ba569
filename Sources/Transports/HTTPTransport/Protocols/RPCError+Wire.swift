internal import RPCCore

/// The errors of requests whose form is wrong.
extension RPCError {
  /// The error of a request that is compressed in a format that the server does not know.
  ///
  /// - Parameter encoding: the name of the format.
  static func compressionUnsupported(_ encoding: String) -> RPCError {
    RPCError(
      .unimplemented, "The server cannot decompress the request; the encodings that it supports are gzip and identity.",
      reason: "COMPRESSION_UNSUPPORTED", metadata: ["encoding": encoding])
  }

  /// The error of a body that breaks the rules of its protocol.
  static func malformedBody(_ message: String) -> RPCError {
    RPCError(.invalidArgument, message, reason: "MALFORMED_REQUEST")
  }
}
