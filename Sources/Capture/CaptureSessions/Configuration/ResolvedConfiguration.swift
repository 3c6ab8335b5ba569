public import CaptureCore

/// A configuration on the present devices, with every default filled in.
public struct ResolvedConfiguration: Hashable, Sendable {
  /// The cameras and then the derived inputs, in the order of the configuration.
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
  /// How far back the ring of the camera reaches that the photo output has, nanoseconds; 0 without zero shutter lag.
  /// The rings of other cameras keep only the newest frame.
  public var zeroShutterLagWindow: UInt64
  /// Which side takes load off the machine under system pressure.
  public var adaptationPolicy = AdaptationPolicy.client

  /// The first camera; nil when there is none.
  public var input: Input? {
    get { inputs.first }
    set { inputs = newValue.map { [$0] + inputs.dropFirst() } ?? [] }
  }

  /// The configuration of a session that has not been configured.
  static let empty = ResolvedConfiguration(
    inputs: [], preset: .high, automaticallyRunsDeferredStart: true, outputs: [], zeroShutterLagWindow: 0)

  /// Where the frames of an input come from.
  public enum Source: Hashable, Sendable {
    /// The camera with this id.
    case device(String)
    /// The frames of other inputs, of which the daemon composes pictures.
    case composed(CompositionLayout)
  }

  /// An input that brings pictures, and the exact request that is made to its source.
  public struct Input: Hashable, Sendable {
    /// The input's id, which connections name.
    public var id: String
    /// Where the frames come from.
    public var source: Source
    /// The camera's name for people.
    public var deviceName = ""
    /// The format and rate that the source is asked for. A change clears ``confirmedRate``.
    public var request: StreamRequest {
      didSet { if request != oldValue { confirmedRate = nil } }
    }
    /// Frames per second that the driver confirmed for the request; nil while the driver has not been asked.
    public var confirmedRate: Rational?
    /// Whether the camera opens with deferred start and not at the start. A derived input opens with its first layer.
    public var deferredStart = false
    /// Whether previews map the camera's high dynamic range to what screens can show; false while the camera's driver
    /// has not been asked for its format.
    public var mapsTones = false
    /// The most memory that the camera's frames may take, bytes; 0 while its driver has not been asked for its format.
    public var frameMemory = 0

    /// Frames per second that the camera is set to: the confirmed rate, or the requested one while no rate is
    /// confirmed.
    public var frameRate: Rational { confirmedRate ?? request.frameRate }

    /// Creates an input whose source has not been asked for its format.
    init(id: String, source: Source, deviceName: String = "", request: StreamRequest) {
      self.id = id
      self.source = source
      self.deviceName = deviceName
      self.request = request
    }
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
    inputs[index].mapsTones = format.layout.isHighDynamicRange
    let plan = RingPlan(
      window: ringWindow(at: index), format: format, cameras: inputs.count, held: heldFrames(at: index))
    if index == photoCamera { zeroShutterLagWindow = plan.windowNanoseconds }
    inputs[index].frameMemory = plan.poolBudget
  }

  /// The most memory that the frames of all cameras and the merging of photos may take, bytes; 0 while no driver has
  /// been asked for its format.
  public var frameMemory: Int {
    let frames = inputs.reduce(0) { $0 + $1.frameMemory }
    let merges = outputs.contains { $0.photo.map { $0.features.maxQuality > .speed } ?? false }
    return frames + (merges && frames > 0 ? PhotoFeatures.processingMemory : 0)
  }

  /// The place of the camera that the photo output has; 0 without a photo output.
  var photoCamera: Int { outputs.first { $0.photo != nil }?.camera ?? 0 }

  /// How far back the ring of the camera at `index` is to reach, nanoseconds.
  func ringWindow(at index: Int) -> UInt64 { index == photoCamera ? zeroShutterLagWindow : 0 }

  /// The camera that an output has; nil when there is none.
  public func camera(of output: Output) -> Input? {
    inputs.indices.contains(output.camera) ? inputs[output.camera] : nil
  }

  /// Whether the camera at `index` opens with deferred start. When every camera that has a purpose asks for it, none
  /// does, because there is then none that would open before them.
  func isDeferred(at index: Int) -> Bool {
    guard inputs.indices.contains(index), inputs[index].deferredStart else { return false }
    return inputs.indices.contains { !inputs[$0].deferredStart && isUsed(at: $0) }
  }

  /// Whether the camera at `index` has a purpose: an output takes its frames, or a derived input that has a purpose
  /// shows them. The only camera of a session always has one.
  func isUsed(at index: Int) -> Bool {
    let isOnlyCamera = cameraCount == 1 && !inputs[index].isDerived
    return isOnlyCamera || hasOutput(at: index) || !derivedInputs(showing: inputs[index]).isEmpty
  }
}

/// Which side takes load off the machine under system pressure.
public enum AdaptationPolicy: Hashable, Sendable {
  /// The client does. The session only reports pressure.
  case client
  /// The session does, one step of the ladder at a time.
  case server
}
