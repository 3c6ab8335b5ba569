internal import CaptureCore
internal import Glibc

/// An open file or folder, which is closed with this value.
struct Descriptor: ~Copyable {
  let number: Int32

  /// - Throws: what `openat` reports by a number below 0.
  init(_ number: Int32, _ action: String) throws(CaptureError) {
    guard number >= 0 else { throw .system(action) }
    self.number = number
  }

  deinit { close(number) }

  /// Waits until the file, or the list of names in a folder, is on the storage.
  borrowing func sync(_ action: String) throws(CaptureError) {
    while fsync(number) != 0 {
      // Some file systems have nothing to sync.
      if errno == EINVAL { return }
      if errno != EINTR { throw .system(action) }
    }
  }

  /// What the system tells about the file.
  borrowing func status() throws(CaptureError) -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw .system("A file of the recordings cannot be looked at") }
    return status
  }

  /// The number of bytes of the file.
  var size: UInt64 {
    get throws(CaptureError) { UInt64(max(0, try status().st_size)) }
  }

  /// A path by which this process can open the file once more, whatever its name is.
  var path: String { "/proc/self/fd/\(number)" }

  /// When the file was last written, in seconds since 1970 (UTC).
  borrowing func modificationTime() throws(CaptureError) -> Int64 { Int64(try status().st_mtim.tv_sec) }

  /// Reads `count` bytes from `offset` on; fewer at the end of the file. Blocks.
  borrowing func read(at offset: UInt64, count: Int) throws(CaptureError) -> [UInt8] {
    var (done, number): (Int, Int32) = (0, 0)
    let descriptor = self.number
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while done < count {
        let part = pread(descriptor, buffer.baseAddress! + done, count - done, off_t(clamping: offset) + done)
        if part < 0, errno == EINTR { continue }
        if part < 0 { number = errno }
        guard part > 0 else { break }
        done += part
      }
      filled = done
    }
    if number != 0 { throw .system("The file of a recording cannot be read", number) }
    return bytes
  }

  /// Writes all bytes at the descriptor's offset. Blocks.
  borrowing func write(_ bytes: [UInt8], _ action: String) throws(CaptureError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let descriptor = number
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw .system(action)
      }
      rest = rest.dropFirst(count)
    }
  }
}

/// The system call `write`, which the method of the same name hides inside the type.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }

extension CaptureError {
  /// The system refused something with `errno`. `action` is the beginning of the sentence that says what.
  static func system(_ action: String, _ number: Int32 = errno) -> CaptureError {
    let cause = String(cString: strerror(number))
    return CaptureError(
      .processingFailed, "\(action): \(cause).", metadata: ["errno": "\(number)", "cause": cause])
  }
}
