internal import CVideoCoding
public import CaptureCore

/// What plays of a movie's file, which may be cut off.
public struct MovieContents: Hashable, Sendable {
  /// The number of samples of the first track of pictures.
  public var sampleCount: UInt64
  /// From the first of these samples to the end of the last one, in nanoseconds.
  public var duration: UInt64

  /// Reads a file without decoding its pictures. Blocks; reads the indexes of MP4 and QuickTime, and the whole of other
  /// files.
  ///
  /// - Throws: `formatNotSupported` when libavformat is not installed; `processingFailed` when it cannot open the file.
  public init(of path: String, container: MovieContainer) throws(CaptureError) {
    guard MovieContainer.isAvailable else { throw .withoutLibrary("libavformat is not installed") }
    var (count, nanoseconds): (Int64, Int64) = (0, 0)
    let (result, cause) = withMessage {
      cvideo_read_contents(container.inC, "file:\(path)", &count, &nanoseconds, $0)
    }
    guard result == CVIDEO_OK else {
      throw CaptureError(.processingFailed, "The movie cannot be read: \(cause).", metadata: ["cause": cause])
    }
    sampleCount = UInt64(max(0, count))
    duration = UInt64(max(0, nanoseconds))
  }
}
