internal import HTTPTypes

/// The content type of a request or a response, which names the protocol and the form of the messages.
struct ContentType: Hashable, Sendable {
  let wireProtocol: WireProtocol
  let format: WireFormat

  init(_ wireProtocol: WireProtocol, _ format: WireFormat) {
    self.wireProtocol = wireProtocol
    self.format = format
  }

  /// Reads the value of a `content-type` field. Parameters such as `charset=utf-8` are ignored, and gRPC-Web without a
  /// form means protobuf. Nil for every other content type.
  init?(_ value: String) {
    let type = value.prefix { $0 != ";" && $0 != " " && $0 != "\t" }.lowercased()
    switch type {
    case "application/grpc-web": self.init(.grpcWeb, .proto)
    case "application/grpc-web-text": self.init(.grpcWebText, .proto)
    default:
      guard let known = Self.all.first(where: { $0.text == type }) else { return nil }
      self = known
    }
  }

  /// Whether messages become text: JSON, or base64.
  var isText: Bool { format == .json || wireProtocol == .grpcWebText }

  /// The value of a `content-type` field.
  var text: String {
    switch wireProtocol {
    case .connectUnary: "application/\(format.rawValue)"
    case .connectStream: "application/connect+\(format.rawValue)"
    case .grpcWeb: "application/grpc-web+\(format.rawValue)"
    case .grpcWebText: "application/grpc-web-text+\(format.rawValue)"
    }
  }

  /// Every content type that a request may have.
  static let all = WireProtocol.allCases.flatMap { wireProtocol in
    WireFormat.allCases.map { Self(wireProtocol, $0) }
  }
}

/// The form of the messages in a body. The raw value is the form's name in content types.
enum WireFormat: String, CaseIterable, Hashable, Sendable {
  /// Protobuf's binary encoding.
  case proto
  /// Protobuf's JSON.
  case json
}

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

/// The reason for which the server answers a request with an HTTP status only. The request is not a call of any
/// protocol, so the client cannot be expected to read an error of a protocol.
struct ProtocolRefusal: Error, Hashable {
  let status: HTTPResponse.Status
  /// The value of the response's `allow` field. Nil for a response without this field.
  var allow: String?
  /// A sentence for people that says what is wrong.
  let message: String
}
