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
