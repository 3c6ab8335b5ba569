public import CaptureCore
internal import Glibc

/// What can be done with the names in an open folder. No symbolic link in the place of a name is followed.
extension Descriptor {
  /// Opens a file or folder of this folder.
  ///
  /// - Parameter flags: as for `open(2)`. A file that is made may be read by all, and written by its owner.
  public func open(_ name: String, _ flags: Int32, _ action: String) throws(CaptureError) -> Descriptor {
    try Descriptor(openat(number, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o644), action)
  }

  /// What the system tells about a file or folder of this folder.
  public func status(of name: String, _ action: String) throws(CaptureError) -> FileStatus {
    var status = stat()
    guard fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .system(action) }
    return FileStatus(status)
  }

  /// Makes a folder. Returns whether there was none of this name.
  public func makeFolder(_ name: String, _ action: String) throws(CaptureError) -> Bool {
    if mkdirat(number, name, 0o755) == 0 { return true }
    guard errno == EEXIST else { throw .system(action) }
    return false
  }

  /// Gives a file another name, and replaces the file that has this name.
  ///
  /// - Parameter folder: where the file gets the name; nil is this folder.
  public func rename(
    _ name: String, to newName: String, in folder: Descriptor? = nil, _ action: String
  ) throws(CaptureError) {
    guard renameat(number, name, folder?.number ?? number, newName) == 0 else { throw .system(action) }
  }

  /// Removes a file, if it is there.
  public func remove(_ name: String, _ action: String) throws(CaptureError) {
    if unlinkat(number, name, 0) != 0, errno != ENOENT { throw .system(action) }
  }

  /// Removes a file, whatever the system says.
  public func remove(_ name: String) { unlinkat(number, name, 0) }

  /// Removes a folder that is empty. Returns whether that was possible.
  public func removeFolder(_ name: String) -> Bool { unlinkat(number, name, AT_REMOVEDIR) == 0 }

  /// Replaces a file either completely or not at all, even when the power fails. The new name is certain to be on the
  /// storage only after ``sync(_:ifSupported:)`` of this folder.
  ///
  /// - Parameters:
  ///   - draft: the name of the new file until it is complete. When the file cannot be replaced, there is no draft.
  ///   - ifSupported: as for ``sync(_:ifSupported:)``.
  public func replace(
    _ name: String, with bytes: [UInt8], by draft: String, _ action: String, ifSupported: Bool = false
  ) throws(CaptureError) {
    do throws(CaptureError) {
      let file = try open(draft, O_WRONLY | O_CREAT | O_TRUNC, action)
      try bytes.withUnsafeBufferPointer { bytes throws(CaptureError) in
        try file.write(UnsafeRawBufferPointer(bytes), action)
      }
      try file.sync(action, ifSupported: ifSupported)
      try rename(draft, to: name, action)
    } catch {
      remove(draft)
      throw error
    }
  }

  /// The names in this folder, in no order, and the number of the error that kept the system from telling more of them.
  public func names() -> (names: [String], error: Int32?) {
    // `fdopendir` takes over its descriptor, so the folder is opened a second time.
    let own = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0 else { return ([], errno) }
    guard let stream = fdopendir(own) else {
      let cause = errno
      close(own)
      return ([], cause)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      // Only this number tells an error from the end of the list.
      errno = 0
      guard let entry = readdir(stream) else { return (names, errno == 0 ? nil : errno) }
      // An entry is only as long as its name, so the name is read at its address.
      let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name)!
      names.append(String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)))
    }
  }

  /// Makes the folder at a path, and its parents, as far as that is possible. What fails shows when the folder is used.
  ///
  /// - Parameter permissions: what others may do with the folders that are made.
  /// - Returns: the path without empty names. A relative one begins with a dot.
  @discardableResult
  public static func makeFolders(on path: String, permissions: UInt32 = 0o755) -> String {
    var built = path.hasPrefix("/") ? "" : "."
    for name in path.split(separator: "/") {
      built += "/" + name
      mkdir(built, permissions)
    }
    return built
  }
}

/// The lock of a folder that only one daemon may use: a lock of the file `lock` in it. It is free again when this
/// object goes.
public final class FolderLock: Sendable {
  private let file: Descriptor

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - kind: what the folder is, for the sentence.
  ///   - path: the path of the folder, for the sentence.
  ///   - action: see ``Descriptor``.
  /// - Throws: `processingFailed`, also when another daemon has the lock.
  public init(of folder: Descriptor, _ kind: String, _ path: String, _ action: String) throws(CaptureError) {
    file = try folder.open("lock", O_RDWR | O_CREAT, action)
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else { throw .system(action) }
      throw CaptureError(
        .processingFailed, "Another daemon already uses \(kind) \(path); give each its own folder.",
        metadata: ["folder": path])
    }
  }

  /// Lets another daemon have the folder.
  public func unlock() { flock(file.number, LOCK_UN) }

  /// Closing the file would not be enough: a process that another thread has just started has a copy of the descriptor
  /// until it begins its program, and with it the lock.
  deinit { unlock() }
}
