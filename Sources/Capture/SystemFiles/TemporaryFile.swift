public import CaptureCore
internal import Glibc

/// A file without a name, which is gone when nobody has it any more, or the daemon is gone. All methods block.
public struct TemporaryFile: Sendable {
  private let descriptor: Descriptor

  /// Makes an empty file.
  ///
  /// - Parameter folder: the folder on whose file system the file lies; made if it does not exist.
  /// - Throws: `processingFailed` when the system refuses.
  public init(in folder: String) throws(CaptureError) {
    let built = Descriptor.makeFolders(on: folder)
    // 0o20000000 is the flag by which `O_TMPFILE` differs from `O_DIRECTORY`; Swift does not import the macro.
    var file = open(built, 0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
    if file < 0, errno == EOPNOTSUPP || errno == EISDIR {
      // The file system knows only files with names, so the name is removed at once.
      var name = Array("\(built)/.firstlight-XXXXXX".utf8CString)
      file = mkstemp(&name)
      if file >= 0 {
        unlink(name)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
      }
    }
    descriptor = try Descriptor(file, "A temporary file in \(folder) cannot be made")
  }

  /// Calls `body` with a path by which this process can open the file again. Outside of `body` the path may be that of
  /// another file.
  public func withPath<R>(_ body: (String) throws(CaptureError) -> R) throws(CaptureError) -> R {
    try descriptor.withPath(body)
  }

  /// Another descriptor of the file with an offset of its own, at the start.
  public func reopened() throws(CaptureError) -> Descriptor {
    try withPath { path throws(CaptureError) in
      try Descriptor.open(path, O_RDWR, "A temporary file cannot be opened")
    }
  }

  /// The size of the file in bytes.
  public var size: Int { (try? descriptor.status("")).map { Int($0.size) } ?? 0 }

  /// Writes all bytes at `offset`.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CaptureError) {
    try descriptor.write(bytes, at: UInt64(offset), "A temporary file cannot be written")
  }

  /// Fills `bytes` from `offset` on.
  ///
  /// - Throws: `processingFailed` also when the file is shorter.
  public func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(CaptureError) {
    let count = try descriptor.readAll(into: bytes, at: UInt64(offset), Self.reading)
    guard count == bytes.count else { throw .system(Self.reading, ENODATA) }
  }

  /// Reads `count` bytes from `offset` on.
  ///
  /// - Throws: `processingFailed` also when the file is shorter.
  public func read(at offset: Int, count: Int) throws(CaptureError) -> [UInt8] {
    let bytes = try descriptor.read(at: UInt64(offset), count: count, Self.reading)
    guard bytes.count == count else { throw .system(Self.reading, ENODATA) }
    return bytes
  }

  private static let reading = "A temporary file cannot be read"

  /// Gives the disk back what lies behind `size`. When the system refuses, the file keeps its size.
  public func cut(to size: Int) { try? descriptor.truncate(to: UInt64(size), "A temporary file cannot be cut") }
}
