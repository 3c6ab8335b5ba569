/// What the contract says of an RPC: its name, and which of its two sides are streams.
///
/// `scripts/generate-protos` writes one constant for each RPC of `proto/`.
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

  public let name: MethodName
  public let kind: Kind

  public init(service: String, method: String, kind: Kind) {
    name = MethodName(service: service, method: method)
    self.kind = kind
  }
}
