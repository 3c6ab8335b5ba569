internal import CDirectIO
internal import CaptureCore
internal import Glibc

/// An open file or folder of the storage, which is closed with this object. The methods block.
final class PoolFile: Sendable {
  let number: Int32

  /// - Parameter number: the descriptor, or a negative errno.
  /// - Throws: `processingFailed` for a negative errno.
  init(_ number: Int32, _ action: String) throws(CaptureError) {
    guard number >= 0 else { throw .system(action, -number) }
    self.number = number
  }

  deinit { close(number) }

  /// What `fsync` or `fdatasync` reports, by its number below 0.
  private func sync(with call: (Int32) -> Int32, _ action: String) throws(CaptureError) {
    while call(number) != 0 {
      if errno != EINTR { throw .system(action) }
    }
  }

  /// Waits until the file, or the list of names in a folder, is on the storage.
  func sync(_ action: String) throws(CaptureError) { try sync(with: fsync, action) }

  /// Waits until the bytes of the file are on the storage.
  func syncData(_ action: String) throws(CaptureError) { try sync(with: fdatasync, action) }

  func status(_ action: String) throws(CaptureError) -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw .system(action) }
    return status
  }

  /// Whether this file and another one are on different file systems.
  func isOnOtherFileSystem(than other: PoolFile) throws(CaptureError) -> Bool {
    let action = "The file system of a movie cannot be looked at"
    return try status(action).st_dev != other.status(action).st_dev
  }

  /// Writes all bytes at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, _ action: String) throws(CaptureError) {
    var done = 0
    while done < bytes.count {
      let count = pwrite(number, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(action, count < 0 ? errno : EIO) }
      done += count
    }
  }

  /// Reads bytes at an offset. Returns fewer at the end of the file.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64, _ action: String) throws(CaptureError) -> Int
  {
    while true {
      let count = pread(number, bytes.baseAddress!, bytes.count, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw .system(action) }
    }
  }
}

extension CaptureError {
  /// The system refused something with an errno. `action` is the beginning of the sentence that says what.
  static func system(_ action: String, _ number: Int32 = errno) -> CaptureError {
    let cause = String(cString: strerror(number))
    return CaptureError(.processingFailed, "\(action): \(cause).", metadata: ["errno": "\(number)", "cause": cause])
  }
}

/// Turns what a call of the C library returns into a descriptor or a negative errno.
func descriptor(_ result: Int32) -> Int32 { result >= 0 ? result : -errno }

extension CaptureError {
  /// The number of the system's error, if the system is the cause.
  var errorNumber: Int32? { metadata["errno"].flatMap { Int32($0) } }
}
