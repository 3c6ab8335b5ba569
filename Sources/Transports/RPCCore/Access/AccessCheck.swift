/// What a call, a page or a stream lets its caller do, as a word for which a caller can be given the right, for example
/// `session.view`.
public struct Permission: Hashable, Sendable {
  /// The word.
  public let name: String

  /// Makes a permission.
  public init(_ name: String) { self.name = name }
}

/// Decides who may do what. Every RPC, every page and file by HTTP, every part of a viewfinder and every stream on the
/// local socket passes the check once, after its request is known and before its handler runs.
public protocol AccessCheck: Sendable {
  /// Returns when a principal may do something, and throws when it may not.
  ///
  /// - Parameters:
  ///   - principal: who asks.
  ///   - permission: what the principal needs the right for.
  ///   - resource: the resource name that the request is about, for example `sessions/front`, as the client wrote it:
  ///     the name may be malformed, and nothing may have it. Nil when the request names nothing.
  /// - Throws: the error that the client gets. It is mapped as the errors of handlers are.
  func check(_ principal: Principal, _ permission: Permission, on resource: String?) async throws
}
