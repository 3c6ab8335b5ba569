internal import CaptureCore
internal import Glibc
public import RPCCore

/// Who may do what until callers have roles: everybody may do everything, and only operators set the capacity of the
/// video storage. Operators are those who could as well change the daemon's configuration: its own user, and root. The
/// kernel tells the user of a process only over a Unix socket. What the configuration file declares is protected by
/// ``OperatorRight``.
public struct StandardAccess: AccessCheck {
  /// The user whom the kernel names for all users that a container does not know.
  private static let unknownUser: UInt32 = 65534

  /// The user of the daemon.
  private let own: UInt32

  /// Makes the check of a daemon that runs as the user of this process.
  public init() { self.init(own: geteuid()) }

  /// Makes the check of a daemon that runs as `own`.
  init(own: UInt32) { self.own = own }

  /// Refuses to set the capacity of the video storage unless an operator asks.
  ///
  /// - Throws: `operatorRequired`.
  public func check(
    _ principal: Principal, _ permission: Permission, on resource: String?
  ) async throws {
    guard permission == .setStorageCapacity else { return }
    guard let user = principal.process?.userID, user == 0 || (user == own && own != Self.unknownUser) else {
      throw CaptureError(
        .operatorRequired,
        "Only operators may set the capacity of the video storage; call over a Unix socket of the daemon, as its user "
          + "or as root. OpenSettings tells more.")
    }
  }
}
