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
