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
