internal import CaptureCore
internal import Glibc

/// Why this process may not open a node, and how the operator can change that. A value.
struct AccessRefusal: Hashable {
  /// The group that owns the node.
  enum Group: Hashable {
    case named(String)
    /// A group without a name on this system, as in a container that was given a node of its host.
    case numbered(UInt32)
  }

  var path: String
  /// EACCES when the node's permissions refuse; EPERM when something above the permissions refuses, such as a
  /// container's device rules.
  var errno: Errno
  /// The group that the daemon's user should join; nil when membership in the node's group would not help.
  var group: Group?
  /// The name of the user that the daemon runs as; nil when the user has no name.
  var user: String?

  /// The error of every call that would have to open the camera `deviceID`.
  func error(device deviceID: String) -> CaptureError {
    var metadata = ["device": deviceID, "node": path, "call": "open", "errno": errno.name]
    metadata["user"] = user
    switch group {
    case .named(let name): metadata["group"] = name
    case .numbered(let number): metadata["group"] = "\(number)"
    case nil: break
    }
    let who = user.map { "The daemon, which runs as \($0)," } ?? "The daemon"
    return CaptureError(
      .deviceAccessDenied, "\(who) may not open \(deviceID) (\(path): \(errno.name)). \(remedy)", metadata: metadata)
  }

  /// What the operator should do, in whole sentences.
  private var remedy: String {
    if errno.rawValue == EPERM {
      return
        "In a container, start it with `--device \(path)`; in a unit of systemd, write "
        + "`DeviceAllow=char-video4linux rw`."
    }
    switch (group, user) {
    case (.named(let group), let user?):
      return
        "Run `sudo usermod -aG \(group) \(user)`, then log in again or restart the service; in a container, start it "
        + "with `--group-add \(group)`."
    case (.named(let group), nil): return "Start it in the group \(group): in a container with `--group-add \(group)`."
    case (.numbered(let group), _): return "Start it in the group \(group): in a container with `--group-add \(group)`."
    case (nil, let user):
      return
        "Run `sudo setfacl -m u:\(user ?? "\(geteuid())"):rw \(path)`, which holds until the camera is plugged in "
        + "again; a rule of udev that gives the node to the group video lasts."
    }
  }
}

extension CaptureError {
  /// The error to report when the node of a camera cannot be opened.
  ///
  /// - Parameter isPresent: whether sysfs and `/dev` still show the camera; without a descriptor, the driver cannot be
  ///   asked.
  static func failedOpen(
    _ error: VideoNodeError, of path: String, device deviceID: String, isPresent: Bool
  ) -> CaptureError {
    [EACCES, EPERM].contains(error.errno.rawValue)
      ? AccessRefusal(of: path, error.errno).error(device: deviceID)
      : .failedCall(error, device: deviceID, isPresent: isPresent)
  }
}

extension AccessRefusal {
  /// Creates a refusal for the node `path`. The initializer asks the system for the node's group and for the user of
  /// this process.
  init(of path: String, _ errno: Errno) {
    var status = stat()
    var group: Group?
    // The error text must not tell the operator to join root's group, and joining a group that may not both read and
    // write the node would not help.
    if stat(path, &status) == 0, status.st_mode & 0o060 == 0o060, status.st_gid != 0 {
      group = Self.name(ofGroup: status.st_gid).map { .named($0) } ?? .numbered(status.st_gid)
    }
    self.init(path: path, errno: errno, group: group, user: Self.name(ofUser: geteuid()))
  }

  private static func name(ofGroup id: gid_t) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
      var (entry, found) = (SystemGroup(), UnsafeMutablePointer<SystemGroup>?.none)
      guard getgrgid_r(id, &entry, buffer.baseAddress!, buffer.count, &found) == 0, found != nil else { return nil }
      return String(cString: entry.gr_name)
    }
  }

  private static func name(ofUser id: uid_t) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
      var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
      guard getpwuid_r(id, &entry, buffer.baseAddress!, buffer.count, &found) == 0, found != nil else { return nil }
      return String(cString: entry.pw_name)
    }
  }
}

/// The C library's struct `group`. The property `group` of ``AccessRefusal`` hides the name of the struct.
private typealias SystemGroup = Glibc.group
