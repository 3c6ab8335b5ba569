public import CaptureCore

/// What a configuration means on the present devices: every default filled in.
public struct ResolvedConfiguration: Hashable, Sendable {
  /// The cameras, in the order of the configuration. A session has at most one today.
  public var inputs: [Input]
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

  /// The only camera; nil without one. What looks at one camera at a time, such as its cost, reads this.
  public var input: Input? {
    get { inputs.first }
    set { inputs = newValue.map { [$0] } ?? [] }
  }

  /// A session without a configuration.
  static let empty = ResolvedConfiguration(
    inputs: [], preset: .high, automaticallyRunsDeferredStart: true, outputs: [], zeroShutterLagWindow: 0)

  /// A camera and exactly what it is asked to deliver.
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

extension ResolvedConfiguration {
  /// Takes what a driver said to the request of the input at `index`, and what follows from that.
  mutating func take(_ format: StreamFormat, at index: Int) {
    inputs[index].confirmedRate = format.frameRate
    mapsTones = format.layout.isHighDynamicRange
    let plan = RingPlan(window: zeroShutterLagWindow, format: format)
    zeroShutterLagWindow = plan.windowNanoseconds
    let merges = outputs.contains { $0.kind == .photo && $0.photo.maxQuality > .speed }
    frameMemory = plan.poolBudget + (merges ? PhotoFeatures.processingMemory : 0)
  }
}

extension ResolvedConfiguration.Kind {
  var isPreview: Bool { if case .preview = self { true } else { false } }

  /// Whether the output gives frames to readers by itself, so that a launch can wait for its first one.
  var streamsToReaders: Bool { if case .photo = self { false } else { true } }
}
