public import CaptureCore

/// A whole configuration as a client asks for it. Every single value is optional; nil means the documented default.
public struct SessionConfiguration: Hashable, Sendable {
  /// The largest number of previews beside the main one.
  package static let maximumAdditionalPreviews = 7
  /// The largest number of movie outputs beside the main one.
  package static let maximumAdditionalMovies = 7
  /// The largest number of video data outputs.
  package static let maximumVideoData = 8

  /// The largest number of cameras and compositions together.
  package static let maximumCameras = 8

  /// The largest number of microphones.
  package static let maximumMicrophones = 4

  /// The cameras of the session, after them the compositions, and then the microphones. There are at most
  /// ``maximumCameras`` cameras and compositions together, and at most ``maximumMicrophones`` microphones.
  public var inputs: [Input] = []
  /// How to pick the format of an input that names none; default `high`.
  public var preset: SessionPreset?
  /// Whether deferred start runs by itself; default true.
  public var automaticallyRunsDeferredStart: Bool?
  /// The main preview; nil for none.
  public var preview: Preview?
  /// The photo output; nil for none.
  public var photo: Photo?
  /// The connections from inputs to outputs. When empty, the first camera is connected to every output, with pictures
  /// upright as far as its mounting is known, and the microphones to every output that takes sound. Else an output that
  /// no connection names gets no frames.
  public var connections: [Connection] = []
  /// Previews beside the main one, at most ``maximumAdditionalPreviews``. Each needs an id, and is deferred by default.
  public var additionalPreviews: [Preview] = []
  /// Video data outputs, at most ``maximumVideoData``. Each needs an id.
  public var videoData: [VideoData] = []
  /// The main movie output; nil for none.
  public var movie: Movie?
  /// Movie outputs beside the main one, at most ``maximumAdditionalMovies``. Each needs an id.
  public var additionalMovies: [Movie] = []
  /// Which side takes load off the machine under system pressure; default `client`.
  public var adaptationPolicy: AdaptationPolicy?

  /// An empty configuration: no input and no output.
  public init() {}

  /// A camera, a composition or a microphone of the session.
  public struct Input: Hashable, Sendable {
    /// The input's id, which connections name. Default `camera` for the first camera and `camera-2`, `camera-3` and so
    /// on for the others; `composition` for a composition and `microphone` for a microphone.
    public var id: String?
    /// The id of the camera or microphone; empty for a composition.
    public var deviceID: String
    /// How the daemon puts the pictures together, for an input that is a composition; nil for a camera or microphone.
    public var composition: Composition?
    /// The format of the camera; nil lets the preset pick.
    public var format: Format?
    /// Frames per second, within 1 % of a rate that the format has. Nil takes the format's highest rate that is at most
    /// 30, or its lowest rate when all are higher.
    public var frameRate: Rational?
    /// The form of the sound of a microphone; nil for 48,000 Hz and two channels, or what is nearest.
    public var audioFormat: PartialAudioFormat?
    /// Whether the camera opens with deferred start and not at the start; default false.
    public var deferredStart: Bool?

    /// Whether the input's pictures are made of those of other inputs.
    var isDerived: Bool { composition != nil }

    /// Names a camera. A nil argument takes the default of its property.
    ///
    /// - Parameters:
    ///   - id: the input's id.
    ///   - deviceID: the id of the camera.
    ///   - format: the format of the camera.
    ///   - frameRate: frames per second.
    public init(id: String? = nil, deviceID: String, format: Format? = nil, frameRate: Rational? = nil) {
      self.id = id
      self.deviceID = deviceID
      self.format = format
      self.frameRate = frameRate
    }
  }

  /// The form of sound, as far as a client names it.
  public struct PartialAudioFormat: Hashable, Sendable {
    /// Samples per second of each channel, in Hz.
    public var sampleRate: Int?
    /// The number of channels.
    public var channelCount: Int?

    /// Names a form. A nil argument leaves the choice to the session.
    public init(sampleRate: Int? = nil, channelCount: Int? = nil) {
      self.sampleRate = sampleRate
      self.channelCount = channelCount
    }
  }

  /// An explicit format.
  public struct Format: Hashable, Sendable {
    /// The pixel format that the driver delivers.
    public var pixelFormat: PixelFormat
    /// The size of pictures in pixels.
    public var size: Size

    /// Names a pixel format at a size, in pixels.
    public init(pixelFormat: PixelFormat, size: Size) {
      self.pixelFormat = pixelFormat
      self.size = size
    }
  }

  /// A preview output.
  public struct Preview: Hashable, Sendable {
    /// The output's id. The main preview's default is `preview`; an additional preview needs an id.
    public var id: String?
    /// Whether the preview may be prepared after the first preview frame was shown. Default false for the main preview,
    /// true for additional ones.
    public var deferredStart: Bool?

    /// Asks for a preview. A nil argument takes the default of its property.
    public init(id: String? = nil, deferredStart: Bool? = nil) {
      self.id = id
      self.deferredStart = deferredStart
    }
  }

  /// The way of frames from the input to an output.
  public struct Connection: Hashable, Sendable {
    /// The id of the input.
    public var input: String
    /// The id of the output.
    public var output: String
    /// Whether frames flow to the output; default true.
    public var isEnabled: Bool?
    /// Whether pictures are mirrored; default false.
    public var isMirrored: Bool?
    /// Clockwise rotation of pictures in degrees: 0, 90, 180 or 270. Default ``Device/mountingRotation``, or 0 for an
    /// output that cannot turn frames.
    public var rotationAngle: UInt32?

    /// Connects an output. A nil argument takes the default of its property.
    ///
    /// - Parameters:
    ///   - input: the id of the input.
    ///   - output: the id of the output.
    ///   - isEnabled: whether frames flow.
    ///   - isMirrored: whether pictures are mirrored.
    ///   - rotationAngle: clockwise degrees: 0, 90, 180 or 270.
    public init(
      input: String = "camera", output: String, isEnabled: Bool? = nil, isMirrored: Bool? = nil,
      rotationAngle: UInt32? = nil
    ) {
      self.input = input
      self.output = output
      self.isEnabled = isEnabled
      self.isMirrored = isMirrored
      self.rotationAngle = rotationAngle
    }
  }

  /// An output that gives frames to clients that process them.
  public struct VideoData: Hashable, Sendable {
    /// The output's id. Required; the resolver reports an issue when it is nil.
    public var id: String?
    /// Whether the output may be prepared after the first preview frame was shown; default false.
    public var deferredStart: Bool?
    /// The four-character code of the format of frames; nil for the camera's own format.
    public var pixelFormat: String?
    /// The colour range of frames; nil for the camera's own.
    public var range: FrameLayout.Range?
    /// Whether only the newest frame waits for each reader; default true. If false, a queue of frames waits.
    public var alwaysDiscardsLateFrames: Bool?
    /// How many frames may wait for each reader when late frames are not discarded: 1 to 64, default 8.
    public var maxQueueDepth: UInt32?

    /// Asks for a video data output. A nil argument takes the default of its property.
    ///
    /// - Parameters:
    ///   - id: the output's id.
    ///   - deferredStart: whether the output may be prepared after the first preview frame was shown.
    ///   - pixelFormat: the four-character code of the format of frames.
    ///   - range: the colour range of frames.
    ///   - alwaysDiscardsLateFrames: whether only the newest frame waits for each reader.
    ///   - maxQueueDepth: how many frames may wait for each reader, 1 to 64.
    public init(
      id: String? = nil, deferredStart: Bool? = nil, pixelFormat: String? = nil, range: FrameLayout.Range? = nil,
      alwaysDiscardsLateFrames: Bool? = nil, maxQueueDepth: UInt32? = nil
    ) {
      self.id = id
      self.deferredStart = deferredStart
      self.pixelFormat = pixelFormat
      self.range = range
      self.alwaysDiscardsLateFrames = alwaysDiscardsLateFrames
      self.maxQueueDepth = maxQueueDepth
    }
  }

  /// The movie outputs, the main one first, each with its field in the configuration.
  package var movies: [(movie: Movie, field: String)] {
    (movie.map { [($0, "configuration.movie")] } ?? [])
      + additionalMovies.enumerated().map { ($1, "configuration.additional_movies[\($0)]") }
  }

  /// A movie output.
  public struct Movie: Hashable, Sendable {
    /// The output's id. The main one's default is `movie`; an additional one needs an id.
    public var id: String?
    /// Whether the output may be prepared after the first preview frame was shown; default true.
    public var deferredStart: Bool?
    /// How pictures are coded; default `h264`.
    public var codec: MovieCodec?
    /// The quality of pictures, 1 to 100; default 80 when ``averageBitRate`` is nil too.
    public var quality: UInt32?
    /// Bits per second, on average; nil for pictures of a constant quality.
    public var averageBitRate: UInt64?
    /// How long before its request a recording may begin, in nanoseconds; default 0.
    public var maxPreRoll: UInt64?
    /// How sound is coded; default `aac`.
    public var audioCodec: AudioCodec?
    /// Bits per second of each track of sound; nil for a usual rate.
    public var audioBitRate: UInt64?
    /// Whether movies are written to the video storage of the daemon.
    public var usesVideoStorage = false

    /// Asks for a movie output. A nil argument takes the default of its property.
    public init(id: String? = nil, deferredStart: Bool? = nil, codec: MovieCodec? = nil) {
      self.id = id
      self.deferredStart = deferredStart
      self.codec = codec
    }
  }

  /// The photo output.
  public struct Photo: Hashable, Sendable {
    /// The output's id; default `photo`.
    public var id: String?
    /// Whether the output may be prepared after the first preview frame was shown; default true.
    public var deferredStart: Bool?
    /// Whether photos come from the ring of recent frames. Default true where the camera's format supports zero shutter
    /// lag.
    public var zeroShutterLag: Bool?
    /// How far back the ring of recent frames reaches, nanoseconds; default 600 ms, at most 5 s.
    public var zeroShutterLagWindow: UInt64?
    /// The highest quality that a capture may ask for. Default `balanced`, or the highest supported quality where that
    /// is lower.
    public var maxQuality: PhotoQuality?
    /// Whether a capture may begin while others are processed; default false.
    public var responsiveCapture: Bool?
    /// Whether later captures of a burst may be made with less quality, so that they take less time; default false.
    public var fastCapturePrioritization: Bool?
    /// The largest size that a capture may ask for; nil for the size that the camera streams.
    public var maxSize: Size?
    /// Whether several cameras are connected to the output, and a capture may take a photo of each at the same time;
    /// default false.
    public var constituentDelivery: Bool?
    /// Whether photos come with the depth of the scene, which no supported camera measures; default false.
    public var depthDelivery: Bool?

    /// Asks for a photo output. A nil argument takes the default of its property.
    ///
    /// - Parameters:
    ///   - id: the output's id.
    ///   - deferredStart: whether the output may be prepared after the first preview frame was shown.
    ///   - zeroShutterLag: whether photos come from the ring of recent frames.
    ///   - zeroShutterLagWindow: how far back the ring reaches, nanoseconds.
    public init(
      id: String? = nil, deferredStart: Bool? = nil, zeroShutterLag: Bool? = nil, zeroShutterLagWindow: UInt64? = nil
    ) {
      self.id = id
      self.deferredStart = deferredStart
      self.zeroShutterLag = zeroShutterLag
      self.zeroShutterLagWindow = zeroShutterLagWindow
    }
  }
}
