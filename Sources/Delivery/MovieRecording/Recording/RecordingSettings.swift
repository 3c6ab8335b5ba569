public import CaptureCore
public import SystemClocks
public import VideoCoding

/// How one recording is made.
public struct RecordingSettings: Hashable, Sendable {
  /// The format of the file.
  public var container: MovieContainer
  /// How the pictures are coded.
  public var pictures: PictureCoding
  /// The tracks of sound, and how they are coded.
  public var sound = SoundCoding()
  /// The least time from the start of one fragment of the file to the start of the next, in nanoseconds. A crash
  /// leaves a file that plays up to its last whole fragment.
  public var fragmentInterval: UInt64
  /// How players turn the pictures, which are coded as the camera gives them.
  public var orientation = Orientation.asCaptured
  /// The limits at which the recording ends by itself.
  public var limits: RecordingLimits
  /// How long before its request a recording of the output may begin, in nanoseconds. With 0 the output keeps nothing.
  public var maximumPreRoll: UInt64 = 0
  /// Where before its request the recording begins. Nil for a recording that begins with the next frame.
  public var preRoll: PreRollRequest?
  /// Whether the movie is written to the video storage, and moves to its file when it is finished.
  public var usesVideoStorage = false
  /// The id of the camera, as ``CapturedFrame/device``. The recorder knows it when it starts. Empty for the
  /// movie of a writer.
  public var device = ""
  /// Whether the finished file gets its index in front. The container must have an index.
  public var optimizesForNetworkUse = false

  /// The fragments of a recording whose client names no interval, in nanoseconds.
  public static let standardFragmentInterval: UInt64 = 2_000_000_000

  /// Settings; by default an MP4 in H.264 without limits.
  public init(
    container: MovieContainer = .mp4, codec: MovieCodec = .h264, rate: MovieFormat.Rate = .quality(80),
    fragmentInterval: UInt64 = standardFragmentInterval, limits: RecordingLimits = RecordingLimits()
  ) {
    self.container = container
    pictures = PictureCoding(codec: codec, rate: rate)
    self.fragmentInterval = fragmentInterval
    self.limits = limits
  }
}

/// How the pictures of a movie are coded.
public struct PictureCoding: Hashable, Sendable {
  /// The codec. ``MovieCodec/motionJPEG`` takes the camera's own JPEG unchanged.
  public var codec: MovieCodec
  /// How many bits the pictures take. Means nothing for the camera's own JPEG.
  public var rate: MovieFormat.Rate
  /// Whether the pictures come in H.264 or HEVC already, and go into the movie unchanged.
  var takesCoded = false
  /// Whether hardware may encode the pictures.
  public var allowsHardware = true

  /// Whether no encoder makes the pictures, which come coded from the camera.
  var passesThrough: Bool { takesCoded || codec == .motionJPEG }

  init(codec: MovieCodec, rate: MovieFormat.Rate) {
    self.codec = codec
    self.rate = rate
  }

  /// Whether a movie can have the coded pictures of a camera unchanged. A client who names a bit rate gets pictures of
  /// that rate, which have to be encoded.
  func mayPass(_ layout: FrameLayout) -> Bool {
    if case .bitRate = rate { return false }
    return layout.pixelFormat.isVideo && layout.pixelFormat == codec.pixelFormat
  }
}

/// The tracks of sound of a movie, and how they are coded.
public struct SoundCoding: Hashable, Sendable {
  /// The codec of all tracks.
  public var codec = AudioCodec.aac
  /// Bits per second of each track; nil for a usual rate.
  public var bitRate: Int?
  /// One track for each microphone. The output knows them when the recording starts.
  var tracks: [AudioConnection] = []

  /// Opens the encoders of the tracks.
  ///
  /// - Throws: `formatNotSupported` when the codec does not take the format of a track on this machine.
  func open() throws(CaptureError) -> AudioTracks { try AudioTracks(codec, tracks, bitRate: bitRate) }
}

/// The part of a recording that a client asks for from before its request.
public struct PreRollRequest: Hashable, Sendable {
  /// The longest duration of all outputs, in nanoseconds.
  public static let maximumDuration = PreRoll.maximumDuration

  /// When the daemon took the request.
  public var time: MonotonicInstant
  /// How long before ``time`` the movie should begin, in nanoseconds.
  public var duration: UInt64

  /// Creates a request.
  public init(time: MonotonicInstant, duration: UInt64) {
    self.time = time
    self.duration = duration
  }

  /// The movie has the first frame from this time on, if the output has kept it.
  var start: MonotonicInstant {
    MonotonicInstant(nanoseconds: time.nanoseconds - min(time.nanoseconds, duration))
  }
}

/// The limits at which a recording ends by itself. Nil means that there is none.
public struct RecordingLimits: Hashable, Sendable {
  /// The longest duration of the movie, in nanoseconds. No movie is longer.
  public var duration: UInt64?
  /// The most bytes of the samples of the file. The movie ends before the frame that would exceed them, but has one
  /// frame at least.
  public var fileSize: UInt64?
  /// The free space of the file system that the recording leaves to others, in bytes. The movie ends before the frame
  /// that would take it, but has one frame at least.
  public var freeSpace: UInt64?

  /// Whether samples are looked at before they are written.
  var concernsFile: Bool { fileSize != nil || freeSpace != nil }

  /// Limits; by default none.
  public init(duration: UInt64? = nil, fileSize: UInt64? = nil, freeSpace: UInt64? = nil) {
    self.duration = duration
    self.fileSize = fileSize
    self.freeSpace = freeSpace
  }
}
