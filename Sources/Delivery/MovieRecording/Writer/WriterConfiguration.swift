public import CaptureCore
public import VideoCoding

/// What a writer writes.
public struct WriterConfiguration: Hashable, Sendable {
  /// The pictures that a writer takes.
  public struct Video: Hashable, Sendable {
    /// How the pictures of the movie are coded.
    public var codec: MovieCodec
    /// How the pictures that a client appends lie in memory. Has no planes for JPEG and H.264.
    public var layout: FrameLayout
    /// The nominal number of pictures per second.
    public var frameRate = Rational(30, 1)
    /// How many bits the pictures take.
    public var rate = MovieFormat.Rate.quality(80)

    /// Creates a description of pictures, 30 a second, in the usual quality.
    public init(codec: MovieCodec, layout: FrameLayout) {
      self.codec = codec
      self.layout = layout
    }

    /// Whether the pictures go into the movie as they come.
    var isCoded: Bool { layout.pixelFormat == .h264 || codec == .motionJPEG }
  }

  /// The id of the input of pictures.
  public static let videoInput = "video"
  /// The most tracks of sound.
  public static let maximumAudioInputs = 4
  /// The intervals that fragments may have, in nanoseconds.
  public static let fragmentIntervals: ClosedRange<UInt64> = 100_000_000...60_000_000_000
  /// The times for which a writer may be idle, in nanoseconds.
  public static let idleTimeouts: ClosedRange<UInt64> = 1_000_000_000...3_600_000_000_000

  /// The path of the file below the folder of recordings. Empty for one that the store chooses.
  public var file = ""
  /// The format of the file.
  public var container: MovieContainer
  /// The pictures.
  public var video: Video
  /// The tracks of sound, by the ids of their inputs.
  public var audio: [AudioConnection] = []
  /// How the sound of all tracks is coded.
  public var audioCodec = AudioCodec.aac
  /// Bits per second of each track of sound; nil for a usual rate.
  public var audioBitRate: Int?
  /// Whether samples cannot wait, so that those for which there is no room are refused.
  public var isRealTime = false
  /// Whether the finished file gets its index in front.
  public var optimizesForNetworkUse = false
  /// Whether the movie is written to the video storage, and moves to its file when it is finished.
  public var usesVideoStorage = false
  /// The least time from the start of one fragment to that of the next, in nanoseconds.
  public var fragmentInterval = RecordingSettings.standardFragmentInterval
  /// How long nobody may use the writer, in nanoseconds.
  public var idleTimeout: UInt64 = 30_000_000_000

  /// Creates the configuration of a writer of pictures without sound.
  public init(container: MovieContainer, video: Video) {
    self.container = container
    self.video = video
  }

  /// How the recording is made.
  var settings: RecordingSettings {
    var settings = RecordingSettings(
      container: container, codec: video.codec, rate: video.rate, fragmentInterval: fragmentInterval)
    settings.pictures.takesCoded = video.isCoded
    (settings.sound.tracks, settings.sound.codec, settings.sound.bitRate) = (audio, audioCodec, audioBitRate)
    settings.optimizesForNetworkUse = optimizesForNetworkUse
    settings.usesVideoStorage = usesVideoStorage
    return settings
  }
}

/// An input of a writer: what became of its samples. A value. A sample is a picture or a piece of sound.
public struct WriterInput: Hashable, Sendable {
  /// The id of the input.
  public let id: String
  /// Whether the writer takes a sample now.
  public internal(set) var isReady = false
  /// The samples that the writer took.
  public internal(set) var appended: UInt64 = 0
  /// The samples that are on the storage.
  public internal(set) var acknowledged: UInt64 = 0
  /// The samples that the writer did not take, because there was no room for them.
  public internal(set) var refused: UInt64 = 0
  /// The pictures that the writer took and the movie lacks.
  public internal(set) var dropped = DropCounts()

  init(id: String) { self.id = id }
}

/// The pieces of sound of a track that are not on the storage yet, as a value: where each of them ends in the movie.
struct SoundLedger: Sendable, Hashable {
  /// The most entries. When there are more pieces, several have one entry, and so are acknowledged together.
  static let maximumEntries = 1024
  /// Times of samples are rounded to nanoseconds.
  private static let tolerance: UInt64 = 1000

  private struct Entry: Hashable {
    var end: UInt64
    var count: UInt64
  }
  private var entries: [Entry] = []

  /// Notes a piece that ends at a time of its client.
  mutating func add(_ end: UInt64) {
    if entries.count < Self.maximumEntries {
      entries.append(Entry(end: end, count: 1))
    } else {
      entries[entries.count - 1] = Entry(end: end, count: entries.last!.count + 1)
    }
  }

  /// Takes out the pieces that end until a time, and returns their number.
  mutating func take(until time: UInt64) -> UInt64 {
    let past = entries.prefix { $0.end <= time + Self.tolerance }
    entries.removeFirst(past.count)
    return past.reduce(0) { $0 + $1.count }
  }
}
