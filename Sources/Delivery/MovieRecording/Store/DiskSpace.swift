/// A file system, in bytes.
struct DiskSpace: Hashable, Sendable {
  /// What is free for processes without privileges.
  let free: UInt64
  /// The size of the file system.
  let total: UInt64
}
