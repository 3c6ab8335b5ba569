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
    let merges = outputs.contains { $0.photo.map { $0.features.maxQuality > .speed } ?? false }
    frameMemory = plan.poolBudget + (merges ? PhotoFeatures.processingMemory : 0)
  }
}
