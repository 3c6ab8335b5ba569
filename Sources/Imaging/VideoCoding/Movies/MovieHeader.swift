internal import CVideoCoding
public import CaptureCore
internal import Glibc

/// Makes all bytes before the samples of a movie that has its index in front, and whose samples follow one after the
/// other.
public enum MovieHeader {
  /// A sample in the order of the file.
  public struct Sample: Hashable, Sendable {
    /// The place of its track.
    public var track: Int
    /// The number of its bytes, and its time. The offset does not count.
    public var sample: MovieIndex.Sample

    /// Creates a sample.
    public init(track: Int, _ sample: MovieIndex.Sample) {
      self.track = track
      self.sample = sample
    }
  }

  /// Makes the bytes. Samples before the time 0 are not shown, but decoded. Blocks for about 1 µs for each sample.
  ///
  /// - Parameters:
  ///   - tracks: at least one, at most five, each with where its last sample ends.
  ///   - samples: at least one of each track.
  ///   - creationTime: when the movie was made, in microseconds since 1970 (UTC).
  /// - Throws: `formatNotSupported` when libavformat is not installed; `processingFailed` when it refuses.
  public static func bytes(
    _ container: MovieContainer, tracks: [(track: MovieTrack, endTime: Int64)], samples: some Collection<Sample>,
    creationTime: Int64
  ) throws(CaptureError) -> [UInt8] {
    var next = tracks.map(\.endTime)
    var inC = samples.map {
      cvideo_placed_sample(
        offset: 0, time: $0.sample.time, duration: 0, count: $0.sample.count, track: Int32($0.track),
        is_key_frame: $0.sample.isKeyFrame)
    }
    for index in inC.indices.reversed() {
      let track = Int(inC[index].track)
      inC[index].duration = next[track] - inC[index].time
      next[track] = inC[index].time
    }
    var count = 0
    let (bytes, cause) = withExtendedLifetime(tracks) {
      let handles = tracks.map(\.track.handle)
      return withMessage { message in
        handles.withUnsafeBufferPointer {
          cvideo_movie_header(
            container.inC, $0.baseAddress!, Int32(handles.count), inC, inC.count, creationTime, &count, message)
        }
      }
    }
    guard let bytes else {
      throw CaptureError(.processingFailed, "The movie cannot be written: \(cause).", metadata: ["cause": cause])
    }
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
