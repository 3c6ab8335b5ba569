public import CaptureCore

extension ResolvedConfiguration {
  /// An output: what every output has, and what its kind has.
  public struct Output: Hashable, Sendable {
    public var id: String
    public var deferredStart: Bool
    /// Whether frames can be rotated and mirrored on the way.
    public var supportsOrientation = true
    /// Nil while no connection leads to the output, so that it gets no frames.
    public var connection: Connection? = Connection()
    public var kind: Kind

    public init(id: String, deferredStart: Bool, kind: Kind) {
      self.id = id
      self.deferredStart = deferredStart
      self.kind = kind
    }
  }

  /// What an output is.
  public enum Kind: Hashable, Sendable {
    /// `isMain` is false for the previews beside the main one.
    case preview(isMain: Bool)
    case photo(Photo)
    case videoData(VideoData)
  }

  /// What only a photo output has.
  public struct Photo: Hashable, Sendable {
    /// What photos are made with.
    public var features = PhotoFeatures()
    /// Whether the camera's format is good enough for photos without shutter lag.
    public var supportsZeroShutterLag = false
    /// The most that ``PhotoFeatures/maxQuality`` may be.
    public var supportedQuality = PhotoQuality.quality

    public init() {}

    /// Whether captures may overlap.
    public var supportsResponsiveCapture: Bool { supportsZeroShutterLag && features.zeroShutterLag }
    /// Whether bursts may be made with less.
    public var supportsFastCapturePrioritization: Bool { supportsResponsiveCapture && features.responsiveCapture }
  }

  /// What only a video data output has.
  public struct VideoData: Hashable, Sendable {
    /// The format that was asked for; nil asks for the camera's own.
    public var askedFormat: PixelFormat?
    /// The range that was asked for; nil asks for the camera's own.
    public var range: FrameLayout.Range?
    /// How many frames wait for each reader; with nil only the newest one does.
    public var queueDepth: Int?
    /// What frames can be given in, the camera's own format first. Empty without a camera.
    public var availableFormats: [PixelFormat] = []

    public init(askedFormat: PixelFormat? = nil, range: FrameLayout.Range? = nil, queueDepth: Int? = nil) {
      self.askedFormat = askedFormat
      self.range = range
      self.queueDepth = queueDepth
    }

    /// What frames are given in; nil when that is the camera's own and there is no camera.
    public var format: PixelFormat? { askedFormat ?? availableFormats.first }
  }
}

extension ResolvedConfiguration.Output {
  public var isMainPreview: Bool { kind == .preview(isMain: true) }

  var isPreview: Bool { if case .preview = kind { true } else { false } }

  /// What only a photo output has; nil for other outputs, for which setting it does nothing.
  public var photo: ResolvedConfiguration.Photo? {
    get { if case .photo(let photo) = kind { photo } else { nil } }
    set { if case .photo = kind, let newValue { kind = .photo(newValue) } }
  }

  /// Whether the output gives frames to readers by itself, so that a launch can wait for its first one.
  var streamsToReaders: Bool { photo == nil }
}
