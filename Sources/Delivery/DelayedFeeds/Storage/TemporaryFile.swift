internal import CaptureCore
internal import Glibc

/// A file without a name, which is gone when this object or the daemon is gone. All methods block.
final class TemporaryFile: Sendable {
  private let descriptor: Int32

  /// Makes an empty file.
  ///
  /// - Parameter folder: the folder on whose file system the file lies; made if it does not exist.
  /// - Throws: `processingFailed` when the system refuses.
  init(in folder: String) throws(CaptureError) {
    var built = folder.hasPrefix("/") ? "" : "."
    for name in folder.split(separator: "/") {
      built += "/" + name
      mkdir(built, 0o755)
    }
    // 0o20000000 is the flag by which `O_TMPFILE` differs from `O_DIRECTORY`; Swift does not import the macro.
    var file = open(built, 0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
    if file < 0, errno == EOPNOTSUPP || errno == EISDIR {
      // The file system knows only files with names, so the name is removed at once.
      var name = Array("\(built)/.delayed-XXXXXX".utf8CString)
      file = mkstemp(&name)
      if file >= 0 {
        unlink(name)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
      }
    }
    guard file >= 0 else { throw .disk("A temporary file in \(folder) cannot be made", errno) }
    descriptor = file
  }

  deinit { close(descriptor) }

  /// A path by which this process can open the file again.
  var path: String { "/proc/self/fd/\(descriptor)" }

  /// Another descriptor of the file with an offset of its own, at the start. The caller closes it.
  func reopened() throws(CaptureError) -> Int32 {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw .disk("A temporary file cannot be opened", errno) }
    return file
  }

  /// The size of the file in bytes.
  var size: Int { max(0, Int(lseek(descriptor, 0, SEEK_END))) }

  /// Writes all bytes at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CaptureError) {
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
      if count < 0 {
        if errno == EINTR { continue }
        throw .disk("A temporary file cannot be written", errno)
      }
      done += count
    }
  }

  /// Fills `bytes` from `offset` on.
  ///
  /// - Throws: `processingFailed` also when the file is shorter.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(CaptureError) {
    var done = 0
    while done < bytes.count {
      let count = pread(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .disk("A temporary file cannot be read", count < 0 ? errno : ENODATA) }
      done += count
    }
  }

  /// Reads `count` bytes from `offset` on.
  func read(at offset: Int, count: Int) throws(CaptureError) -> [UInt8] {
    var failure: CaptureError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(CaptureError) {
        try read(
          into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]), at: offset)
        filled = count
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Gives the disk back what lies behind `size`. When the system refuses, the file keeps its size.
  func cut(to size: Int) { ftruncate(descriptor, off_t(size)) }
}

extension CaptureError {
  /// The system refused something. `action` is the beginning of the sentence that says what.
  fileprivate static func disk(_ action: String, _ number: Int32) -> CaptureError {
    let cause = String(cString: strerror(number))
    return CaptureError(
      .processingFailed, "\(action): \(cause).", metadata: ["errno": "\(number)", "cause": cause])
  }
}
