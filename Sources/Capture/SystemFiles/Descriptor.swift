public import CaptureCore
internal import Glibc

/// An open file or folder, which is closed with this object. Thread-safe. All methods block.
///
/// Each `action` is the beginning of the sentence for the case that the system refuses, such as "The file cannot be
/// read". What throws, throws `processingFailed` with the number of the system's error
/// (``CaptureCore/CaptureError/errorNumber``).
public final class Descriptor: Sendable {
  /// The number by which the system knows the file.
  public let number: Int32

  /// Takes over a file that is open, as the standard output is.
  public init(owning number: Int32) { self.number = number }

  /// Takes over what a function of the C library returned: a descriptor, or a number below 0 and an `errno`.
  public init(_ result: Int32, _ action: String) throws(CaptureError) {
    guard result >= 0 else { throw .system(action) }
    number = result
  }

  /// Takes over what a function returned: a descriptor, or a negative error number.
  public init(orError result: Int32, _ action: String) throws(CaptureError) {
    guard result >= 0 else { throw .system(action, -result) }
    number = result
  }

  deinit { close(number) }

  /// Opens what lies at a path. Follows symbolic links.
  ///
  /// - Parameter flags: as for `open(2)`; the file is closed in programs that this process starts.
  public static func open(_ path: String, _ flags: Int32, _ action: String) throws(CaptureError) -> Descriptor {
    try Descriptor(Glibc.open(path, flags | O_CLOEXEC), action)
  }

  /// Calls `body` with a path by which this process can open the file once more, whatever its name is. Outside of
  /// `body` the path may be that of another file.
  public func withPath<R>(_ body: (String) throws(CaptureError) -> R) throws(CaptureError) -> R {
    try withExtendedLifetime(self) { () throws(CaptureError) in try body("/proc/self/fd/\(number)") }
  }

  /// What the system tells about the file.
  public func status(_ action: String) throws(CaptureError) -> FileStatus {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw .system(action) }
    return FileStatus(status)
  }

  /// How large the file system is, and how much of it is free. Nil when the system does not tell.
  public var space: DiskSpace? {
    var facts = statvfs()
    return fstatvfs(number, &facts) == 0 ? DiskSpace(facts) : nil
  }

  // MARK: Bytes

  /// Writes all bytes, at the offset of the descriptor.
  public func write(_ bytes: UnsafeRawBufferPointer, _ action: String) throws(CaptureError) {
    try writeAll(bytes, action) { part, _ in Glibc.write(number, part.baseAddress, part.count) }
  }

  /// Writes all bytes, at an offset in the file.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, _ action: String) throws(CaptureError) {
    try writeAll(bytes, action) { part, done in
      pwrite(number, part.baseAddress, part.count, off_t(offset) + off_t(done))
    }
  }

  /// The system may take only a part of the bytes.
  private func writeAll(
    _ bytes: UnsafeRawBufferPointer, _ action: String, _ call: (UnsafeRawBufferPointer, _ done: Int) -> Int
  ) throws(CaptureError) {
    var done = 0
    while done < bytes.count {
      let count = call(UnsafeRawBufferPointer(rebasing: bytes[done...]), done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(action, count < 0 ? errno : EIO) }
      done += count
    }
  }

  /// Reads bytes at an offset in one piece. Returns fewer at the end of the file.
  public func read(
    into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64, _ action: String
  ) throws(CaptureError) -> Int {
    while true {
      let count = pread(number, bytes.baseAddress, bytes.count, off_t(clamping: offset))
      if count >= 0 { return count }
      if errno != EINTR { throw .system(action) }
    }
  }

  /// Reads bytes at an offset, in as many pieces as the system makes of them. Returns fewer at the end of the file.
  public func readAll(
    into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64, _ action: String
  ) throws(CaptureError) -> Int {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
      let count = try read(into: rest, at: offset + UInt64(done), action)
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads `count` bytes from an offset on; fewer at the end of the file.
  public func read(at offset: UInt64, count: Int, _ action: String) throws(CaptureError) -> [UInt8] {
    var failure: CaptureError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let wanted = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
      do throws(CaptureError) { filled = try readAll(into: wanted, at: offset, action) } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Gives the file another size.
  public func truncate(to size: UInt64, _ action: String) throws(CaptureError) {
    guard ftruncate(number, off_t(size)) == 0 else { throw .system(action) }
  }

  // MARK: The storage

  /// Waits until the file, or the list of names in a folder, is on the storage.
  ///
  /// - Parameter ifSupported: whether a file system that has nothing to sync is no error.
  public func sync(_ action: String, ifSupported: Bool = false) throws(CaptureError) {
    while fsync(number) != 0 {
      if ifSupported, errno == EINVAL { return }
      if errno != EINTR { throw .system(action) }
    }
  }

  /// Waits until the bytes of the file are on the storage.
  public func syncData(_ action: String) throws(CaptureError) {
    while fdatasync(number) != 0 {
      if errno != EINTR { throw .system(action) }
    }
  }
}

/// The place of a file: its open folder, and its name in it.
///
/// No symbolic link on the way is followed, so a link that somebody puts there leads nowhere, also when it comes after
/// somebody has looked.
public struct FilePlace: Sendable {
  /// The folder, which may only be passed through.
  public let folder: Descriptor
  /// The name of the file in the folder.
  public let name: String
  private let path: String
  private let action: String

  /// Opens the folder of a file. Blocks.
  ///
  /// - Parameter action: how the message of an error begins, for example "The ledger of the video storage cannot be
  ///   used".
  /// - Throws: `processingFailed` with the error of the system, which is `ELOOP` or `ENOTDIR` for a link on the way.
  public init(_ path: String, _ action: String) throws(CaptureError) {
    let names = path.split(separator: "/").map(String.init)
    // 0o10000000 is `O_PATH`, which needs no right to list a folder; Swift does not import the macro.
    let flags = 0o10000000 | O_DIRECTORY | O_NOFOLLOW
    var folder = try Descriptor.open(path.hasPrefix("/") ? "/" : ".", flags, action)
    for name in names.dropLast() { folder = try folder.open(name, flags, action) }
    (self.path, self.action, self.folder) = (path, action, folder)
    name = names.last ?? ""
  }

  /// Makes the file, and opens it for writing. Blocks.
  ///
  /// - Throws: `processingFailed` with the error of the system, also when there is a file or a link of that name.
  public func make() throws(CaptureError) -> Descriptor {
    do throws(CaptureError) { return try folder.open(name, O_WRONLY | O_CREAT | O_EXCL, action) } catch {
      var error = error
      error.metadata["file"] = path
      throw error
    }
  }

  /// Removes the file. Blocks.
  public func remove() { folder.remove(name) }
}
