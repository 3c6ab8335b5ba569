public import CaptureCore

/// A whole configuration as asked. Every scalar is optional: nil means the documented default.
public struct SessionConfiguration: Hashable, Sendable {
  /// Previews beside the main one.
  package static let maximumAdditionalPreviews = 7
  /// Video data outputs.
  package static let maximumVideoData = 8

  public var inputs: [Input] = []
  /// Default `high`.
  public var preset: SessionPreset?
  /// Default true.
  public var automaticallyRunsDeferredStart: Bool?
  public var preview: Preview?
  public var photo: Photo?
  /// Empty: every output, upright as far as the camera's mounting is known. Else an output that is not named gets no frames.
  public var connections: [Connection] = []
  /// Further previews, at most ``maximumAdditionalPreviews``; each needs an id. Deferred by default.
  public var additionalPreviews: [Preview] = []
  /// At most ``maximumVideoData``; each needs an id.
  public var videoData: [VideoData] = []
  /// Default `client`.
  public var adaptationPolicy: AdaptationPolicy?

  public init() {}

  /// A camera of the session.
  public struct Input: Hashable, Sendable {
    /// Default `camera`.
    public var id: String?
    public var deviceID: String
    /// Nil: the preset picks.
    public var format: Format?
    /// Frames per second, within 1 % of a rate that the format has; nil: its highest that is at most 30.
    public var frameRate: Rational?

    public init(id: String? = nil, deviceID: String, format: Format? = nil, frameRate: Rational? = nil) {
      self.id = id
      self.deviceID = deviceID
      self.format = format
      self.frameRate = frameRate
    }
  }

  /// An explicit format.
  public struct Format: Hashable, Sendable {
    public var pixelFormat: PixelFormat
    public var size: Size

    public init(pixelFormat: PixelFormat, size: Size) {
      self.pixelFormat = pixelFormat
      self.size = size
    }
  }

  /// A preview output.
  public struct Preview: Hashable, Sendable {
    /// Default `preview`.
    public var id: String?
    /// Default false for the main preview, true for others.
    public var deferredStart: Bool?

    public init(id: String? = nil, deferredStart: Bool? = nil) {
      self.id = id
      self.deferredStart = deferredStart
    }
  }

  /// The way of frames from the input to an output.
  public struct Connection: Hashable, Sendable {
    public var input: String
    public var output: String
    /// Default true.
    public var isEnabled: Bool?
    /// Default false.
    public var isMirrored: Bool?
    /// Clockwise degrees: 0, 90, 180 or 270. Default ``Device/mountingRotation``; 0 for what cannot be turned.
    public var rotationAngle: UInt32?

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

  /// An output that gives frames to programs.
  public struct VideoData: Hashable, Sendable {
    /// Needed.
    public var id: String?
    /// Default false.
    public var deferredStart: Bool?
    /// Four-character code; nil: the camera's own.
    public var pixelFormat: String?
    /// Nil: the camera's own.
    public var range: FrameLayout.Range?
    /// Default true.
    public var alwaysDiscardsLateFrames: Bool?
    /// Frames that wait when late ones are not discarded: 1 to 64, default 8.
    public var maxQueueDepth: UInt32?

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

  /// The photo output.
  public struct Photo: Hashable, Sendable {
    /// Default `photo`.
    public var id: String?
    /// Default true.
    public var deferredStart: Bool?
    /// Default true.
    public var zeroShutterLag: Bool?
    /// Nanoseconds; default 600 ms, at most 5 s.
    public var zeroShutterLagWindow: UInt64?
    /// Default `balanced`, or what is supported where that is lower.
    public var maxQuality: PhotoQuality?
    /// Default false.
    public var responsiveCapture: Bool?
    /// Default false.
    public var fastCapturePrioritization: Bool?
    /// Default: as the camera streams.
    public var maxSize: Size?

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

/// Who takes load off the machine under pressure.
public enum AdaptationPolicy: Hashable, Sendable {
  /// The client: pressure is only told.
  case client
  /// The session, step by step.
  case server
}

/// How to pick the format of an input that names none.
public enum SessionPreset: Hashable, Sendable, CaseIterable {
  /// The largest format, at any rate.
  case photo
  /// The largest up to 1920 × 1080 that reaches 24 frames per second.
  case high
  /// The nearest to 640 × 480.
  case medium
  /// The nearest to 320 × 240.
  case low
  case hd720p, hd1080p, hd4K
  /// The format given with the input.
  case inputPriority
}

/// What a configuration means on the present devices: every default filled in.
public struct ResolvedConfiguration: Hashable, Sendable {
  public var input: Input?
  public var preset: SessionPreset
  public var automaticallyRunsDeferredStart: Bool
  public var outputs: [Output]
  /// How far back the frame ring reaches, nanoseconds; 0 without zero shutter lag.
  public var zeroShutterLagWindow: UInt64
  /// What the session's frames may take, bytes; 0 when the camera was not asked.
  public var frameMemory = 0
  public var adaptationPolicy = AdaptationPolicy.client
  /// Whether previews show the camera's high dynamic range as screens can; false when the camera was not asked.
  public var mapsTones = false

  /// The camera and exactly what it is asked to deliver.
  public struct Input: Hashable, Sendable {
    public var id: String
    public var deviceID: String
    /// For people.
    public var deviceName = ""
    public var request: StreamRequest {
      didSet { if request != oldValue { confirmedRate = nil } }
    }
    /// What the driver said to the request's rate; nil while it was not asked.
    public var confirmedRate: Rational?

    /// The rate that the camera is set to, as far as it is known.
    public var frameRate: Rational { confirmedRate ?? request.frameRate }
  }

  /// An output.
  public struct Output: Hashable, Sendable {
    public var id: String
    public var deferredStart: Bool
    public var kind: Kind
    /// For a preview that is not the main one.
    public var isAdditional = false
    /// For video data: what frames are in. Nil without a camera.
    public var pixelFormat: PixelFormat?
    /// For video data: what frames can be given in, the camera's own first. Empty without a camera.
    public var availablePixelFormats: [PixelFormat] = []
    /// Whether frames can be rotated and mirrored on the way.
    public var supportsOrientation = true
    /// For photos: what they are made with.
    public var photo = PhotoFeatures()
    /// For photos: whether the format is good enough for those without shutter lag.
    public var supportsZeroShutterLag = false
    /// For photos: the most that ``PhotoFeatures/maxQuality`` may be.
    public var supportedQuality = PhotoQuality.quality
    /// Nil: none, so no frames.
    public var connection: Connection? = Connection()
  }

  /// What an output is, with what makes it. Another kind under the same id is another output.
  public enum Kind: Hashable, Sendable {
    case preview
    case photo
    /// As asked: nil is the camera's own format and range. Without a depth the newest frame wins.
    case videoData(pixelFormat: PixelFormat?, range: FrameLayout.Range?, queueDepth: Int?)
  }

  /// Deferring everything, or nothing, is not deferring.
  public var deferredOutputs: [String] {
    let deferred = outputs.filter(\.deferredStart).map(\.id)
    return deferred.count == outputs.count ? [] : deferred
  }
}
