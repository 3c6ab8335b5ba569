/// A microphone, or another input of a sound card, as clients see it. The value holds nothing open.
public struct Microphone: Hashable, Sendable {
  /// The microphone's id, for example `046d-0825-a1b2c3-microphone`. No camera has the same id. The id stays the same
  /// when the microphone is plugged in again and when the machine restarts.
  public var id: String
  /// The microphone's name as the driver gives it, for people.
  public var displayName: String
  /// The name that the operator gave the microphone, for people; empty when the operator gave none.
  public var label: String
  /// ``DeviceType/microphone``.
  public var type: DeviceType
  /// The name of the kernel driver; `"synthetic"` for a synthetic microphone.
  public var driver: String
  /// Where the microphone is attached, for example `usb-0000:00:14.0-1`.
  public var location: String
  /// The sample rates that the microphone can deliver, in Hz, the lowest first; empty while ``unavailable`` is set.
  public var sampleRates: [Int]
  /// The numbers of channels that the microphone can deliver, the smallest first; empty while ``unavailable`` is set.
  public var channelCounts: [Int]
  /// Whether the microphone may deliver other forms than ``sampleRates`` and ``channelCounts`` tell, because another
  /// program uses it and nobody could ask it yet.
  public var mayDeliverMore = false
  /// Whether the driver stamps the sound, as sound cards do. False for a sound server such as PipeWire: there the
  /// daemon knows only when it read the sound, and times are less exact.
  public var hasDriverStamps: Bool
  /// Why the microphone cannot be used although it is present; nil for one that can be used.
  public var unavailable: CaptureError?

  /// Creates the description of a microphone.
  ///
  /// - Parameters: as the properties of the same names.
  public init(
    id: String, displayName: String, label: String = "", type: DeviceType, driver: String, location: String,
    sampleRates: [Int], channelCounts: [Int], hasDriverStamps: Bool = true, unavailable: CaptureError? = nil
  ) {
    self.id = id
    self.displayName = displayName
    self.label = label
    self.type = type
    self.driver = driver
    self.location = location
    self.sampleRates = sampleRates
    self.channelCounts = channelCounts
    self.hasDriverStamps = hasDriverStamps
    self.unavailable = unavailable
  }
}

/// One change to the microphones that are present: one came, went, or is described differently.
public struct MicrophoneChange: Hashable, Sendable {
  /// How many changes wait for a slow watcher of a provider, who loses the oldest.
  public static let depth = 64

  /// What happened to the microphone.
  public var kind: DeviceChange.Kind
  /// The microphone as it is now; for `disconnected`, as it was before it went.
  public var microphone: Microphone

  /// Creates the change that `kind` happened to `microphone`.
  public init(_ kind: DeviceChange.Kind, _ microphone: Microphone) {
    self.kind = kind
    self.microphone = microphone
  }
}

/// Finds the microphones of one kind and opens them. The daemon has one provider for ALSA's microphones and one for
/// synthetic ones.
public protocol MicrophoneProvider: Sendable {
  /// The microphones as the provider last saw them, ordered by id. Only until the provider has looked for microphones
  /// the first time does the caller wait.
  func microphones() async -> [Microphone]

  /// The changes to the microphones from the moment of the call until the consumer stops iterating. A consumer that is
  /// too slow loses the oldest changes and never blocks the provider, so the consumer should read ``microphones()``
  /// again after each change.
  func changes() -> AsyncStream<MicrophoneChange>

  /// Opens the microphone and captures into `sink`. The method returns when the microphone captures; the first blocks
  /// may reach `sink` before that.
  ///
  /// When the method throws, it has closed again everything that it opened.
  ///
  /// - Throws: `deviceNotFound`, `formatNotSupported`, `deviceInUse`, `deviceDisconnected`, `deviceNotResponding`,
  ///   `deviceAccessDenied`, `deviceFailed`.
  func start(
    _ format: AudioFormat, on id: String, sink: any AudioSink
  ) async throws(CaptureError) -> any AudioSource
}
