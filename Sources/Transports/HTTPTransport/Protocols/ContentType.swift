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
