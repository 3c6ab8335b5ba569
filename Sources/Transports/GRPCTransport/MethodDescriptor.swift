/// The full name of an RPC.
public struct MethodDescriptor: Hashable, Sendable, CustomStringConvertible {
  /// With its package: `grpc.health.v1.Health`.
  public let service: String
  /// `Check`.
  public let method: String

  public init(service: String, method: String) {
    self.service = service
    self.method = method
  }

  /// Reads a `:path` of HTTP/2.
  ///
  /// - Returns: nil unless it is `/service/method`.
  init?(path: String) {
    guard path.first == "/", let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
    service = String(path[path.index(after: path.startIndex)..<slash])
    method = String(path[path.index(after: slash)...])
  }

  /// As on the wire: `/grpc.health.v1.Health/Check`.
  public var path: String { "/\(service)/\(method)" }

  public var description: String { "\(service)/\(method)" }
}
