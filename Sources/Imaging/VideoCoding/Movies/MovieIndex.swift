internal import CVideoCoding
public import CaptureCore
internal import Glibc

/// Where the samples of a movie in MP4 or QuickTime lie, and when they are shown or heard.
public struct MovieIndex: Sendable {
  /// The nanoseconds of a tick, in which a file counts the times of its pictures.
  public static let tick: Int64 = 1_000_000_000 / Int64(CVIDEO_TICKS_PER_SECOND)

  /// A sample in a file.
  public struct Sample: Hashable, Sendable {
    /// Where in the file the bytes begin.
    public var offset: UInt64
    /// The number of bytes.
    public var count: UInt32
    /// When the sample is shown or heard, from the start of the movie: in nanoseconds for a picture, and in samples of
    /// a channel for sound.
    public var time: Int64
    /// Whether a decoder can begin with this sample.
    public var isKeyFrame: Bool

    /// Creates a sample.
    public init(offset: UInt64, count: UInt32, time: Int64, isKeyFrame: Bool) {
      self.offset = offset
      self.count = count
      self.time = time
      self.isKeyFrame = isKeyFrame
    }
  }

  /// The samples of a track.
  public struct Track: Sendable {
    /// What the file tells once about all samples.
    public let track: MovieTrack
    /// The samples in the order of their times.
    public let samples: [Sample]
    /// Where the last sample ends.
    public let endTime: Int64
    /// The units of times in a second: a billion for pictures, and the sample rate for sound.
    public let unitsPerSecond: Int64
  }

  /// The first track of pictures.
  public let pictures: Track
  /// The tracks of sound that have samples, by their places among the tracks of sound.
  public let sounds: [Int: Track]

  /// Reads the index of a file, and no sample. Blocks.
  ///
  /// - Parameters:
  ///   - path: the path of the file, which may be cut off, or grow meanwhile.
  ///   - size: samples that end after so many bytes are left out.
  /// - Throws: `formatNotSupported` when libavformat is not installed; `processingFailed` when it cannot open the file.
  public init(
    of path: String, container: MovieContainer, codec: MovieCodec, audioCodec: AudioCodec, size: UInt64
  ) throws(CaptureError) {
    guard MovieContainer.isAvailable else { throw .withoutLibrary("libavformat is not installed") }
    var index = cvideo_sample_index()
    let (result, cause) = withMessage {
      cvideo_sample_index_read(container.inC, "file:\(path)", Int64(clamping: size), &index, $0)
    }
    defer { cvideo_sample_index_free(&index) }
    guard result == CVIDEO_OK, let pictures = Track(&index.tracks.0, .pictures(codec)) else {
      throw CaptureError(.processingFailed, "The movie cannot be read: \(cause).", metadata: ["cause": cause])
    }
    self.pictures = pictures
    let sounds = [
      Track(&index.tracks.1, .sound(audioCodec)), Track(&index.tracks.2, .sound(audioCodec)),
      Track(&index.tracks.3, .sound(audioCodec)), Track(&index.tracks.4, .sound(audioCodec)),
    ]
    self.sounds = Dictionary(
      uniqueKeysWithValues: sounds.enumerated().compactMap { place, sound in
        sound.flatMap { $0.samples.isEmpty ? nil : (place, $0) }
      })
  }
}

extension MovieIndex.Track {
  /// Takes the track out of the index.
  fileprivate init?(_ index: inout cvideo_indexed_track, _ media: MovieTrack.Media) {
    guard let handle = index.track else { return nil }
    track = MovieTrack(media, owning: handle)
    index.track = nil
    endTime = index.end_time
    unitsPerSecond = index.units_per_second
    samples = UnsafeBufferPointer(start: index.samples, count: index.count).map {
      MovieIndex.Sample(offset: UInt64($0.offset), count: $0.count, time: $0.time, isKeyFrame: $0.is_key_frame)
    }
  }
}

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
