/// The full name of an RPC.
public struct MethodName: Hashable, Sendable, CustomStringConvertible {
  /// The service with its package: `grpc.health.v1.Health`.
  public let service: String
  /// The method's own name: `Check`.
  public let method: String

  public init(service: String, method: String) {
    self.service = service
    self.method = method
  }

  /// Reads the path of an HTTP request. A path that is not `/service/method` becomes a method without a service, which
  /// no router has.
  package init(path: String) {
    guard path.first == "/", let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      self.init(service: "", method: path)
      return
    }
    self.init(
      service: String(path[path.index(after: path.startIndex)..<slash]),
      method: String(path[path.index(after: slash)...]))
  }

  /// The name as a path: `/grpc.health.v1.Health/Check`.
  public var path: String { "/\(service)/\(method)" }

  public var description: String { "\(service)/\(method)" }
}
