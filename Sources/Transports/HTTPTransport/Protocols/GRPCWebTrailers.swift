internal import RPCCore

/// The last envelope of a response of gRPC-Web, which has the status and the trailing metadata.
struct GRPCWebTrailers: Sendable {
  /// The lines of the trailers, which are the payload of the envelope.
  let text: String

  /// Makes the trailers of a call.
  ///
  /// - Parameters:
  ///   - error: the error of the call. Nil for a call that succeeded.
  ///   - metadata: the trailing metadata of the call.
  init(_ error: RPCError?, metadata: Metadata) {
    var fields = [(name: "grpc-status", value: "\(error?.code.rawValue ?? 0)")]
    if let error = error?.completed(domain: "") {
      fields.append(("grpc-message", Self.percentEncoded(error.message)))
      fields.append(("grpc-status-details-bin", error.serializedStatus().unpaddedBase64))
    }
    fields += metadata.fields
    text = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
  }

  /// The whole envelope.
  var envelope: [UInt8] {
    Envelope.prefix(flags: Envelope.trailers, count: text.utf8.count) + text.utf8
  }

  /// Returns a text in the form of `grpc-message`: every byte that is not printable ASCII, and every `%`, becomes `%`
  /// and two hexadecimal digits.
  private static func percentEncoded(_ text: String) -> String {
    text.utf8.map { byte in
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.utf8.count < 2 ? "%0\(digits)" : "%\(digits)"
    }.joined()
  }
}

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
