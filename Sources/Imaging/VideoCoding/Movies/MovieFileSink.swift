public import CaptureCore
internal import Glibc

/// Writes a movie to a file descriptor: of a file, or of a pipe. Its errors have the number of the system, such as
/// `ENOSPC`, in ``CaptureError/errorNumber``.
public final class MovieFileSink: MovieSink {
  private let descriptor: Int32
  /// The offset of the descriptor where the movie begins.
  private let start: off_t
  /// Whether the descriptor is of a file, and not of a pipe or a socket.
  public let canSeek: Bool

  /// - Parameter descriptor: A descriptor that is open for writing and blocks. This object closes it.
  public init(owning descriptor: Int32) {
    self.descriptor = descriptor
    let offset = lseek(descriptor, 0, SEEK_CUR)
    canSeek = offset >= 0
    start = max(0, offset)
  }

  deinit { close(descriptor) }

  /// Writes all bytes. When the system takes only a part of them, the sink goes on with the rest.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = Glibc.write(descriptor, part.baseAddress, part.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw .writing(errno)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Moves the offset to this number of bytes from where the movie begins in the file.
  public func seek(to offset: Int64) throws(CaptureError) {
    guard lseek(descriptor, start + off_t(offset), SEEK_SET) >= 0 else { throw .writing(errno) }
  }

  /// Cuts a file off; does nothing to a pipe.
  public func truncate(to offset: Int64) {
    // When the system refuses this too, the file keeps its unfinished end.
    if canSeek { ftruncate(descriptor, start + off_t(offset)) }
  }

  /// Waits until all that was written is on the storage.
  public func sync() throws(CaptureError) {
    while fdatasync(descriptor) != 0 {
      // Pipes and sockets have nothing to sync, and the system reports so. A disk that has become read-only reports
      // the same error for a file.
      if !canSeek, errno == EINVAL || errno == EROFS { return }
      if errno != EINTR { throw .writing(errno) }
    }
  }
}
