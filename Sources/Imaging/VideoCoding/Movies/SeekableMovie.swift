internal import CVideoCoding
public import CaptureCore
internal import Glibc

/// Makes a movie in fragments into one with a single index in front, so that players can seek in it at once, also over
/// a network.
public enum SeekableMovie {
  /// Copies a movie without encoding it anew. All samples keep their bytes and times. A movie that was cut off is
  /// copied to its last whole sample.
  ///
  /// The source is read twice, first the indexes of its fragments and then all of it, and the target is written once.
  /// The caller lets the system put the target on the storage before it removes the source.
  ///
  /// - Parameters:
  ///   - target: The path of the new file, which must not be the source. When the copy fails or is cancelled, no new
  ///     file is left there.
  ///   - container: The container of both files, which must have an index: MP4 or QuickTime.
  ///   - isCancelled: Called before each sample and each read; ends the copying when it returns true.
  /// - Throws: `operationInterrupted` when the copy was cancelled; `formatNotSupported` when libavformat is not
  ///   installed; `processingFailed` otherwise, with ``CaptureCore/CaptureError/errorNumber`` when the system refused.
  public static func copy(
    from source: String, to target: String, as container: MovieContainer, isCancelled: () -> Bool = { false }
  ) throws(CaptureError) {
    precondition(container.hasIndex, "\(container) has no index")
    guard MovieContainer.isAvailable else { throw .withoutLibrary("libavformat is not installed") }
    let isNew = access(target, F_OK) != 0
    var number: Int32 = 0
    let (result, cause) = withoutActuallyEscaping(isCancelled) { isCancelled in
      let cancellation = Cancellation(isCancelled)
      return withExtendedLifetime(cancellation) {
        withMessage {
          cvideo_index_movie(
            container.inC, "file:\(source)", "file:\(target)",
            { Unmanaged<Cancellation>.fromOpaque($0!).takeUnretainedValue().isCancelled() },
            Unmanaged.passUnretained(cancellation).toOpaque(), &number, $0)
        }
      }
    }
    if result == CVIDEO_OK { return }
    if isNew { unlink(target) }
    if result == CVIDEO_STOPPED {
      throw CaptureError(.operationInterrupted, "The copying of a movie was cancelled.")
    }
    if number != 0 { throw .writing(number) }
    throw CaptureError(.processingFailed, "The movie cannot be copied: \(cause).", metadata: ["cause": cause])
  }
}

private final class Cancellation {
  let isCancelled: () -> Bool
  init(_ isCancelled: @escaping () -> Bool) { self.isCancelled = isCancelled }
}

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
