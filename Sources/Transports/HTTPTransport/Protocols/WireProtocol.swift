/// A protocol by which a client calls a method over HTTP. The client chooses the protocol by the content type of the
/// request.
///
/// - <https://connectrpc.com/docs/protocol>
/// - <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md>
enum WireProtocol: CaseIterable, Hashable, Sendable {
  /// Connect, for methods with one request and one response. The body is the message itself.
  case connectUnary
  /// Connect, for methods with a stream. The body consists of envelopes.
  case connectStream
  /// gRPC-Web. The body consists of envelopes.
  case grpcWeb
  /// gRPC-Web as base64 text.
  case grpcWebText
}
