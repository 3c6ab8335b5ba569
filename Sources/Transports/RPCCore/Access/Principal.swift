/// Who calls, as far as the transport can tell. Each transport makes the principal of its calls, and an ``AccessCheck``
/// decides what the principal may do.
public enum Principal: Hashable, Sendable {
  /// A client of which the transport knows nothing but an address, which proves nothing.
  case anonymous
  /// A process on this machine, which is connected over a Unix socket. Only there does the kernel tell the transport
  /// which process that is.
  case process(PeerCredentials)

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
