internal import CVideoCoding
public import CaptureCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Where the samples of a movie in MP4 or QuickTime lie, and when they are shown.
public struct MovieIndex: Sendable {
  /// The ticks in a second of the times in an index.
  public static let ticksPerSecond: Int64 = 90_000

  /// A sample in a file.
  public struct Sample: Hashable, Sendable {
    /// Where in the file the bytes begin.
    public var offset: UInt64
    /// The number of bytes.
    public var count: UInt32
    /// When the picture is shown, in ticks from the start of the movie.
    public var time: Int64
    /// Whether a decoder can begin with this picture.
    public var isKeyFrame: Bool

    /// Creates a sample.
    public init(offset: UInt64, count: UInt32, time: Int64, isKeyFrame: Bool) {
      self.offset = offset
      self.count = count
      self.time = time
      self.isKeyFrame = isKeyFrame
    }
  }

  /// What the file tells once about all samples.
  public let track: MovieTrack
  /// The samples in the order of their times.
  public let samples: [Sample]
  /// Where the last sample ends, in ticks.
  public let endTime: Int64

  /// Reads the index of a file, and no sample. Blocks.
  ///
  /// - Parameters:
  ///   - path: the path of the file, which may be cut off, or grow meanwhile.
  ///   - size: samples that end after so many bytes are left out.
  /// - Throws: `formatNotSupported` when libavformat is not installed; `processingFailed` when it cannot open the file.
  public init(
    of path: String, container: MovieContainer, codec: MovieCodec, size: UInt64
  ) throws(CaptureError) {
    guard MovieContainer.isAvailable else { throw .withoutLibrary("libavformat is not installed") }
    var index = cvideo_sample_index()
    let (result, cause) = withMessage {
      cvideo_sample_index_read(container.inC, "file:\(path)", Int64(clamping: size), &index, $0)
    }
    defer { cvideo_sample_index_free(&index) }
    guard result == CVIDEO_OK, let handle = index.track else {
      throw CaptureError(.processingFailed, "The movie cannot be read: \(cause).", metadata: ["cause": cause])
    }
    track = MovieTrack(.pictures(codec), owning: handle)
    index.track = nil
    endTime = index.end_time
    samples = UnsafeBufferPointer(start: index.samples, count: index.count).map {
      Sample(offset: UInt64($0.offset), count: $0.count, time: $0.time, isKeyFrame: $0.is_key_frame)
    }
  }

  /// Makes all bytes before the samples of a movie that has its index in front, and whose samples follow one after the
  /// other. Samples before the time 0 are not shown, but decoded. Blocks for about 1 µs for each sample.
  ///
  /// - Parameters:
  ///   - samples: at least one, whose offsets do not count.
  ///   - endTime: where the last sample ends, in ticks.
  ///   - creationTime: when the movie was made, in microseconds since 1970 (UTC).
  /// - Throws: `formatNotSupported` when libavformat is not installed; `processingFailed` when it refuses.
  public static func header(
    _ container: MovieContainer, track: MovieTrack, samples: [Sample], endTime: Int64, creationTime: Int64
  ) throws(CaptureError) -> [UInt8] {
    let inC = samples.map {
      cvideo_placed_sample(offset: 0, time: $0.time, count: $0.count, is_key_frame: $0.isKeyFrame)
    }
    var count = 0
    let (bytes, cause) = withExtendedLifetime(track) {
      withMessage {
        cvideo_movie_header(container.inC, track.handle, inC, inC.count, endTime, creationTime, &count, $0)
      }
    }
    guard let bytes else {
      throw CaptureError(.processingFailed, "The movie cannot be written: \(cause).", metadata: ["cause": cause])
    }
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
