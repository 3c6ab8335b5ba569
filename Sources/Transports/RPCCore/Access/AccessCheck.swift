/// What a call, a page or a stream lets its caller do, as a word for which a caller can be given the right, for example
/// `session.view`.
public struct Permission: Hashable, Sendable {
  /// The word.
  public let name: String

  /// Makes a permission.
  public init(_ name: String) { self.name = name }
}

/// Decides who may do what. Every RPC, every page and file by HTTP, every part of a viewfinder and every stream on the
/// local socket passes the check after its request is known and before its handler runs. A call passes it once, and a
/// part of a viewfinder once for each method that it stands for.
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

/// Who calls, as far as the transport can tell. Each transport makes the principal of its calls, and an ``AccessCheck``
/// decides what the principal may do.
public enum Principal: Hashable, Sendable {
  /// A client of which the transport knows nothing but an address, which proves nothing.
  case anonymous
  /// A program that connected to a loopback address of this machine, and is no proxy that calls for somebody else.
  case thisMachine
  /// A process on this machine, which is connected over a Unix socket. Only there does the kernel tell the transport
  /// which process that is.
  case process(PeerCredentials)

  /// The client of a connection that is no Unix socket of this machine.
  ///
  /// - Parameters:
  ///   - peer: the client's address, as ``CallContext/peer``.
  ///   - hasField: whether the request has a header field of this name. By such fields a proxy says that it calls for
  ///     somebody else: a proxy on this machine calls from a loopback address, wherever its clients are.
  public init(at peer: String, _ hasField: (String) -> Bool) {
    let loopback = ["unix:", "ipv4:127.", "ipv6:%5B::1%5D:", "ipv6:%5B::ffff:127."]
    let fields = [
      "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via",
      "x-envoy-external-address",
    ]
    self = !fields.contains(where: hasField) && loopback.contains(where: peer.hasPrefix) ? .thisMachine : .anonymous
  }

  /// Whether the client is a program on this machine, as far as its address and its request tell.
  public var isOnThisMachine: Bool { self != .anonymous }

  /// The process that calls. Nil for a client that may be anywhere.
  public var process: PeerCredentials? {
    guard case .process(let credentials) = self else { return nil }
    return credentials
  }
}

/// The process at the client's end of a Unix socket, as the kernel recorded it when the process connected
/// (SO_PEERCRED).
public struct PeerCredentials: Hashable, Sendable {
  /// The process ID.
  public let processID: Int32
  /// The user ID.
  public let userID: UInt32
  /// The group ID.
  public let groupID: UInt32

  /// Makes credentials from the IDs of a process, its user and its group.
  public init(processID: Int32, userID: UInt32, groupID: UInt32) {
    self.processID = processID
    self.userID = userID
    self.groupID = groupID
  }
}
