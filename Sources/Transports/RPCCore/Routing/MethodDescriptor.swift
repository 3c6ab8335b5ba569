/// An RPC as the contract declares it: its name, and which of its two sides are streams.
///
/// `scripts/generate-protos` writes one constant of this type for each RPC in `proto/`.
public struct MethodDescriptor: Hashable, Sendable {
  /// Which sides of an RPC are streams.
  public enum Kind: Hashable, Sendable {
    /// One request, one response.
    case unary
    /// One request, a stream of responses.
    case serverStreaming
    /// A stream of requests, one response.
    case clientStreaming
    /// Streams both ways.
    case bidirectional
  }

  /// The full name of the RPC.
  public let name: MethodName
  /// Which sides of the RPC are streams.
  public let kind: Kind

  /// Makes the descriptor of an RPC.
  ///
  /// - Parameters:
  ///   - service: the name of the service with its package, for example `grpc.health.v1.Health`.
  ///   - method: the method's own name, for example `Check`.
  ///   - kind: which sides of the RPC are streams.
  public init(service: String, method: String, kind: Kind) {
    name = MethodName(service: service, method: method)
    self.kind = kind
  }
}

/// The full name of an RPC.
public struct MethodName: Hashable, Sendable, CustomStringConvertible {
  /// The name of the service with its package, for example `grpc.health.v1.Health`.
  public let service: String
  /// The method's own name, for example `Check`.
  public let method: String

  /// Makes the name of a method of a service.
  public init(service: String, method: String) {
    self.service = service
    self.method = method
  }

  /// Reads the path of an HTTP request. A path that does not have the form `/service/method` becomes the name of a
  /// method with an empty service, for which no router has a handler.
  package init(path: String) {
    guard path.first == "/", let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      self.init(service: "", method: path)
      return
    }
    self.init(
      service: String(path[path.index(after: path.startIndex)..<slash]),
      method: String(path[path.index(after: slash)...]))
  }

  /// The name as the path of an HTTP request, for example `/grpc.health.v1.Health/Check`.
  public var path: String { "/\(service)/\(method)" }

  public var description: String { "\(service)/\(method)" }
}
