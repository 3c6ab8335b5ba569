public import CaptureCore
internal import Glibc
public import SystemFiles

/// Writes a movie to a descriptor: of a file, or of a pipe. Its errors have the number of the system, such as
/// `ENOSPC`, in ``CaptureCore/CaptureError/errorNumber``.
public final class MovieFileSink: MovieSink {
  static let action = "The movie cannot be written"

  private let descriptor: Descriptor
  /// The offset of the descriptor where the movie begins.
  private let start: off_t
  /// Whether the descriptor is of a file, and not of a pipe or a socket.
  public let canSeek: Bool

  /// - Parameter descriptor: A descriptor that is open for writing and blocks.
  public init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
    let offset = lseek(descriptor.number, 0, SEEK_CUR)
    canSeek = offset >= 0
    start = max(0, offset)
  }

  /// Writes all bytes. When the system takes only a part of them, the sink goes on with the rest.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) { try descriptor.write(bytes, Self.action) }

  /// Moves the offset to this number of bytes from where the movie begins in the file.
  public func seek(to offset: Int64) throws(CaptureError) {
    guard lseek(descriptor.number, start + off_t(offset), SEEK_SET) >= 0 else { throw .writing(errno) }
  }

  /// Cuts a file off; does nothing to a pipe.
  public func truncate(to offset: Int64) {
    // When the system refuses this too, the file keeps its unfinished end.
    if canSeek { try? descriptor.truncate(to: UInt64(start) + UInt64(offset), Self.action) }
  }

  /// Waits until all that was written is on the storage.
  public func sync() throws(CaptureError) {
    do throws(CaptureError) { try descriptor.syncData(Self.action) } catch {
      // Pipes and sockets have nothing to sync, and the system reports so. A disk that has become read-only reports
      // the same error for a file.
      if !canSeek, error.errorNumber == EINVAL || error.errorNumber == EROFS { return }
      throw error
    }
  }
}
