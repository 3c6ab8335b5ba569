public import CaptureCore

extension ResolvedConfiguration {
  /// An output: the properties that every output has, and the payload of its kind.
  public struct Output: Hashable, Sendable {
    /// The output's id, unique in the session.
    public var id: String
    /// Whether the output may be prepared after the first preview frame was shown.
    public var deferredStart: Bool
    /// Whether the connection can rotate and mirror frames on their way to the output.
    public var supportsOrientation = true
    /// The connection from a camera to the output. Nil when there is none, so the output gets no frames.
    public var connection: Connection? = Connection()
    /// The place of that camera among ``ResolvedConfiguration/inputs``. Without a connection, the place of the first
    /// camera.
    public var camera = 0
    /// The cameras that are connected to a photo output that has several, in the order of
    /// ``ResolvedConfiguration/inputs``: that of ``connection`` first. Empty for any other output.
    public var constituents: [Constituent] = []
    /// The connections from microphones to the output.
    public var microphones: [MicrophoneConnection] = []
    /// The output's kind, with the properties that only this kind has.
    public var kind: Kind

    /// Makes an output that is connected, with frames as captured.
    ///
    /// - Parameters:
    ///   - id: the output's id, unique in the session.
    ///   - deferredStart: whether the output may be prepared after the first preview frame was shown.
    ///   - kind: the output's kind.
    public init(id: String, deferredStart: Bool, kind: Kind) {
      self.id = id
      self.deferredStart = deferredStart
      self.kind = kind
    }
  }

  /// The kinds of outputs.
  public enum Kind: Hashable, Sendable {
    /// A preview. `isMain` is false for additional previews.
    case preview(isMain: Bool)
    case photo(Photo)
    case videoData(VideoData)
    case movie(Movie)
  }

  /// The properties that only a photo output has.
  public struct Photo: Hashable, Sendable {
    /// The features that photos are made with.
    public var features = PhotoFeatures()
    /// Whether the camera's format is good enough for photos with zero shutter lag.
    public var supportsZeroShutterLag = false
    /// The highest value that ``PhotoFeatures/maxQuality`` may have.
    public var supportedQuality = PhotoQuality.quality
    /// Whether several cameras may be connected to the output.
    public var constituentDelivery = false

    /// A photo output without zero shutter lag, with default features.
    public init() {}

    /// Whether a capture may begin while others are processed.
    public var supportsResponsiveCapture: Bool { supportsZeroShutterLag && features.zeroShutterLag }
    /// Whether later captures of a burst may be made with less quality, so that they take less time.
    public var supportsFastCapturePrioritization: Bool { supportsResponsiveCapture && features.responsiveCapture }
  }

  /// The properties that only a movie output has.
  public struct Movie: Hashable, Sendable {
    /// Whether this is the main movie output, which alone may record continuously.
    public var isMain = true
    /// How pictures are coded.
    public var codec: MovieCodec
    /// The quality of pictures, 1 to 100, when they have no bit rate.
    public var quality: Int
    /// Bits per second, on average; nil for pictures of a constant quality.
    public var averageBitRate: Int?
    /// How long before its request a recording may begin, in nanoseconds. With 0 the output keeps nothing.
    public var maxPreRoll: UInt64 = 0
    /// How sound is coded.
    public var audioCodec = AudioCodec.aac
    /// Bits per second of each track of sound; nil for a usual rate.
    public var audioBitRate: Int?
    /// Whether movies are written to the video storage of the daemon.
    public var usesVideoStorage = false

    /// Makes the properties of a main movie output, which keeps nothing.
    ///
    /// - Parameters:
    ///   - codec: how pictures are coded.
    ///   - quality: the quality of pictures, 1 to 100.
    ///   - averageBitRate: bits per second; nil for pictures of a constant quality.
    public init(codec: MovieCodec = .h264, quality: Int = 80, averageBitRate: Int? = nil) {
      self.codec = codec
      self.quality = quality
      self.averageBitRate = averageBitRate
    }
  }

  /// The properties that only a video data output has.
  public struct VideoData: Hashable, Sendable {
    /// The format that the client asked for; nil asks for the camera's own.
    public var askedFormat: PixelFormat?
    /// The colour range that the client asked for; nil asks for the camera's own.
    public var range: FrameLayout.Range?
    /// How many frames may wait in each reader's slot; nil when only the newest frame waits.
    public var queueDepth: Int?
    /// The formats in which the output can give frames, the camera's own first. Empty without a camera.
    public var availableFormats: [PixelFormat] = []

    /// Makes the properties of a video data output.
    ///
    /// - Parameters:
    ///   - askedFormat: the format of frames; nil for the camera's own.
    ///   - range: the colour range of frames; nil for the camera's own.
    ///   - queueDepth: how many frames may wait for each reader; nil when only the newest frame waits.
    public init(askedFormat: PixelFormat? = nil, range: FrameLayout.Range? = nil, queueDepth: Int? = nil) {
      self.askedFormat = askedFormat
      self.range = range
      self.queueDepth = queueDepth
    }

    /// The format in which the output gives frames. Nil when the client asked for the camera's own format and there is
    /// no camera.
    public var format: PixelFormat? { askedFormat ?? availableFormats.first }
  }
}

extension ResolvedConfiguration.Output {
  /// Whether the output is the main preview or the main movie output, not an additional one.
  public var isMain: Bool {
    switch kind {
    case .preview(let isMain): isMain
    case .movie(let movie): movie.isMain
    case .photo, .videoData: false
    }
  }

  var isPreview: Bool { if case .preview = kind { true } else { false } }

  /// The properties that only a photo output has. Nil for other outputs; setting a value on another output changes
  /// nothing.
  public var photo: ResolvedConfiguration.Photo? {
    get { if case .photo(let photo) = kind { photo } else { nil } }
    set { if case .photo = kind, let newValue { kind = .photo(newValue) } }
  }

  /// Whether readers get a stream of frames from the output, so that a launch can wait for the first of them. Photo and
  /// movie outputs work only when a client asks for it.
  var streamsToReaders: Bool {
    switch kind {
    case .preview, .videoData: true
    case .photo, .movie: false
    }
  }
}

extension ResolvedConfiguration {
  /// The way of frames from one of several cameras to a photo output.
  public struct Constituent: Hashable, Sendable {
    /// The id of the input.
    public var input: String
    /// The place of the camera among ``ResolvedConfiguration/inputs``.
    public var camera: Int
    /// Whether frames flow, and how pictures are turned on their way.
    public var connection: Connection

    /// Connects a camera.
    ///
    /// - Parameters: as the properties of the same names.
    public init(input: String, camera: Int, connection: Connection = Connection()) {
      self.input = input
      self.camera = camera
      self.connection = connection
    }
  }

  /// Whether there are two cameras that may be connected to one photo output.
  public var supportsConstituentDelivery: Bool { cameraCount > 1 }
}

extension OutputConditions {
  /// Takes over which cameras are connected to the output. The others of their conditions stay.
  mutating func connect(_ cameras: [ResolvedConfiguration.Constituent]) {
    constituents = cameras.map { camera in
      var constituent =
        constituents.first { $0.input == camera.input } ?? ConstituentCamera(input: camera.input)
      constituent.connection = camera.connection
      return constituent
    }
  }
}
