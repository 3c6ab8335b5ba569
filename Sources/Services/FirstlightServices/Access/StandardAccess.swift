internal import CaptureCore
internal import Glibc
public import RPCCore

/// Who may do what until callers have roles: everybody may do everything, and only operators set the capacity of the
/// video storage. Operators are those who could as well change the daemon's configuration: its own user, and root. The
/// kernel tells the user of a process only over a Unix socket. What the configuration file declares is protected by
/// ``OperatorRight``. The photo library is for clients on this machine, because it keeps what cameras saw long ago.
public struct StandardAccess: AccessCheck {
  /// The user whom the kernel names for all users that a container does not know.
  private static let unknownUser: UInt32 = 65534

  /// The permissions of the photo library.
  public static let libraryPermissions: [Permission] = [.addToLibrary, .readLibrary, .writeLibrary]

  /// The user of the daemon.
  private let own: UInt32
  /// The permissions of the photo library that every client has.
  private let networkPermissions: Set<Permission>

  /// Makes the check of a daemon that runs as the user of this process.
  ///
  /// - Parameter networkPermissions: the permissions of the photo library that every client has, wherever it is.
  public init(networkPermissions: Set<Permission> = []) {
    self.init(own: geteuid(), networkPermissions: networkPermissions)
  }

  /// Makes the check of a daemon that runs as `own`.
  init(own: UInt32, networkPermissions: Set<Permission> = []) {
    (self.own, self.networkPermissions) = (own, networkPermissions)
  }

  /// Refuses the photo library to clients elsewhere, and to set the capacity of the video storage unless an operator
  /// asks.
  ///
  /// - Throws: `permissionRequired`, `operatorRequired`.
  public func check(
    _ principal: Principal, _ permission: Permission, on resource: String?
  ) async throws {
    if Self.libraryPermissions.contains(permission), !principal.isOnThisMachine,
      !networkPermissions.contains(permission)
    {
      throw CaptureError(
        .permissionRequired,
        "The photo library is for clients on the daemon's machine; call over a loopback address or a Unix socket, or "
          + "add \(permission.name) to network-library-permissions in the daemon's configuration.",
        metadata: ["permission": permission.name])
    }
    guard permission == .setStorageCapacity else { return }
    guard let user = principal.process?.userID, user == 0 || (user == own && own != Self.unknownUser) else {
      throw CaptureError(
        .operatorRequired,
        "Only operators may set the capacity of the video storage; call over a Unix socket of the daemon, as its user "
          + "or as root. OpenSettings tells more.")
    }
  }
}
