internal import Glibc

/// The size of a file system, and how much of it is free.
public struct DiskSpace: Hashable, Sendable {
  /// The bytes that are free for processes without privileges.
  public let free: UInt64
  /// The bytes of the file system.
  public let total: UInt64

  /// Creates a value.
  public init(free: UInt64, total: UInt64) { (self.free, self.total) = (free, total) }

  /// Asks the system about the file system of a path. Nil when the system does not tell. Blocks.
  public init?(at path: String) {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return nil }
    self.init(facts)
  }

  init(_ facts: statvfs) {
    let unit = UInt64(facts.f_frsize)
    self.init(free: UInt64(facts.f_bavail) * unit, total: UInt64(facts.f_blocks) * unit)
  }
}

/// What a user of a disk is about to take of it, and leaves to all others. Movies, segments and the video
/// storage ask it whether there is room. `docs/architecture.md` says who fills a disk, and who gives way first.
public struct DiskShare: Hashable, Sendable {
  /// The bytes that the user is about to take.
  public let needed: UInt64
  /// The free bytes that the user leaves to others.
  public let leftToOthers: UInt64

  /// Creates a share.
  public init(needed: UInt64 = 0, leftToOthers: UInt64) { (self.needed, self.leftToOthers) = (needed, leftToOthers) }

  /// Whether a file system with so many free bytes has room. True when the system does not tell.
  public func fits(_ free: UInt64?) -> Bool {
    guard let free else { return true }
    return free >= leftToOthers && free - leftToOthers >= needed
  }
}

/// What the system tells about a file.
public struct FileStatus: Hashable, Sendable {
  /// The bytes of the file.
  public let size: UInt64
  /// The bytes of the file that have their place on the disk.
  public let allocated: UInt64
  /// The number of the file system, and that of the file in it.
  public let device, inode: UInt64
  /// When the file was last written, in seconds since 1970 (UTC).
  public let modificationTime: Int64
  /// Whether it is a file, and not a folder, a link, a pipe or a device.
  public let isRegularFile: Bool

  init(_ status: stat) {
    size = UInt64(max(0, status.st_size))
    allocated = UInt64(max(0, status.st_blocks)) * 512
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    modificationTime = Int64(status.st_mtim.tv_sec)
    isRegularFile = status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether both values are of the same file.
  public func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
