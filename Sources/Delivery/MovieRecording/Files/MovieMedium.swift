internal import CaptureCore
internal import Glibc
internal import SystemFiles
internal import VideoCoding
internal import VideoStorage

/// What a movie is written to until it is finished. Thread-bound: only the thread that writes the movie uses it.
protocol MovieMedium: MovieSink {
  /// Waits until all that was written is on the storage.
  func sync() throws(CaptureError)

  /// The number of bytes that are free for processes without privileges on the file system of the movie's place, once
  /// the movie is there. Nil when the system does not tell.
  var freeSpace: UInt64? { get }

  /// Removes what was written, of which nothing plays.
  func discard()
}

/// Where a movie is made.
enum MovieDestination: Sendable {
  /// A file that grows at this path, where there is none yet.
  case file(String)
  /// The video storage. Whoever began the capture also finishes or discards it, when the recorder has finished.
  case videoStorage(VideoStorageCapture)

  /// Opens the medium. Blocks.
  ///
  /// - Throws: `processingFailed` with the error of the file system, also when there is a file of that name, which
  ///   stays as it is, and when a symbolic link is on the way.
  func open() throws(CaptureError) -> any MovieMedium {
    switch self {
    case .file(let path): try GrowingFile(path)
    case .videoStorage(let capture): CapturedMovie(capture)
    }
  }
}

/// A file that grows.
private final class GrowingFile: MovieMedium {
  private let place: FilePlace
  private let descriptor: Descriptor
  private let sink: MovieFileSink

  init(_ path: String) throws(CaptureError) {
    place = try FilePlace(path, "The file of the recording cannot be made")
    descriptor = try place.make()
    sink = MovieFileSink(descriptor)
  }

  var canSeek: Bool { sink.canSeek }

  func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) { try sink.write(bytes) }

  func seek(to offset: Int64) throws(CaptureError) { try sink.seek(to: offset) }

  func truncate(to offset: Int64) { sink.truncate(to: offset) }

  func sync() throws(CaptureError) { try sink.sync() }

  var freeSpace: UInt64? { descriptor.space?.free }

  func discard() { place.remove() }
}

/// A movie in the video storage, which takes bytes only in their order. What does not play is cut off when the movie
/// moves to its place.
private final class CapturedMovie: MovieMedium {
  private let capture: VideoStorageCapture

  init(_ capture: VideoStorageCapture) { self.capture = capture }

  let canSeek = false

  func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) { try capture.write(bytes) }

  func seek(to offset: Int64) throws(CaptureError) { throw .system("The video storage cannot seek", ESPIPE) }

  func sync() throws(CaptureError) { try capture.flush() }

  var freeSpace: UInt64? {
    let folder = String(capture.target.prefix(upTo: capture.target.lastIndex(of: "/")!))
    return DiskSpace(at: folder).map { $0.free - min($0.free, capture.bytesForMove) }
  }

  func discard() {}
}
