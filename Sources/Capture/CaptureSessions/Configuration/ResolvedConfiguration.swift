public import CaptureCore

/// A configuration on the present devices, with every default filled in.
public struct ResolvedConfiguration: Hashable, Sendable {
  /// The cameras in the order of the configuration. At present a session has at most one.
  public var inputs: [Input]
  /// The microphones in the order of the configuration.
  public var microphones: [Microphone] = []
  /// The preset that picked the format; `inputPriority` when the client named another format.
  public var preset: SessionPreset
  /// Whether deferred start runs by itself. If false, it runs when the client asks for it or a capture needs a deferred
  /// output.
  public var automaticallyRunsDeferredStart: Bool
  /// The outputs: the main preview, the photo output, the additional previews, the video data outputs, then the
  /// movie output.
  public var outputs: [Output]
  /// How far back the frame ring reaches, nanoseconds; 0 without zero shutter lag.
  public var zeroShutterLagWindow: UInt64
  /// The most memory that the session's frames and the merging of its photos may take, bytes; 0 while the camera's
  /// driver has not been asked for its format.
  public var frameMemory = 0
  /// Which side takes load off the machine under system pressure.
  public var adaptationPolicy = AdaptationPolicy.client
  /// Whether previews map the camera's high dynamic range to what screens can show; false while the camera's driver has
  /// not been asked for its format.
  public var mapsTones = false

  /// The only camera; nil when there is none. Code that looks at one camera at a time, such as the computation of cost,
  /// uses this property.
  public var input: Input? {
    get { inputs.first }
    set { inputs = newValue.map { [$0] } ?? [] }
  }

  /// The configuration of a session that has not been configured.
  static let empty = ResolvedConfiguration(
    inputs: [], preset: .high, automaticallyRunsDeferredStart: true, outputs: [], zeroShutterLagWindow: 0)

  /// A camera and the exact request that is made to it.
  public struct Input: Hashable, Sendable {
    /// The input's id, which connections name.
    public var id: String
    /// The id of the camera.
    public var deviceID: String
    /// The camera's name for people.
    public var deviceName = ""
    /// The format and rate that the camera is asked for. A change clears ``confirmedRate``.
    public var request: StreamRequest {
      didSet { if request != oldValue { confirmedRate = nil } }
    }
    /// Frames per second that the driver confirmed for the request; nil while the driver has not been asked.
    public var confirmedRate: Rational?

    /// Frames per second that the camera is set to: the confirmed rate, or the requested one while no rate is
    /// confirmed.
    public var frameRate: Rational { confirmedRate ?? request.frameRate }
  }

  /// The ids of the outputs that deferred start prepares. Empty when every output asks to be deferred, because there is
  /// then no output that would be prepared before them.
  public var deferredOutputs: [String] {
    let deferred = outputs.filter(\.deferredStart).map(\.id)
    return deferred.count == outputs.count ? [] : deferred
  }
}

extension ResolvedConfiguration {
  /// Takes over the format that a driver confirmed for the request of the input at `index`, and updates everything that
  /// follows from it.
  mutating func take(_ format: StreamFormat, at index: Int) {
    inputs[index].confirmedRate = format.frameRate
    mapsTones = format.layout.isHighDynamicRange
    let plan = RingPlan(window: zeroShutterLagWindow, format: format)
    zeroShutterLagWindow = plan.windowNanoseconds
    let merges = outputs.contains { $0.photo.map { $0.features.maxQuality > .speed } ?? false }
    frameMemory = plan.poolBudget + (merges ? PhotoFeatures.processingMemory : 0)
  }
}
