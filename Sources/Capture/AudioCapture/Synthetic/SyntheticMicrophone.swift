public import CaptureCore
internal import Glibc
internal import Locking
internal import SystemClocks

/// One synthetic microphone. Knows whether it is plugged in, who listens to it, and how its card misbehaves.
/// Thread-safe.
final class SyntheticMicrophone: Sendable {
  let microphone: Microphone
  private let signal: TimeSignal

  private struct State {
    var isPlugged = true
    /// Whether a source has the microphone, also before its card runs.
    var isTaken = false
    var card: SyntheticPCM?
    var drift = 0.0
    var stalledUntil = MonotonicInstant.epoch
  }
  private let state: Locked<State>

  /// The microphone with this index, as it is when no operator has named it. Every third one has a single form, as the
  /// microphones of many webcams do.
  static func microphone(_ index: Int) -> Microphone {
    let hasOneForm = index % 3 == 2
    return Microphone(
      id: "synthetic-microphone-\(index)", displayName: "Synthetic microphone \(index)", type: .microphone,
      driver: "synthetic", location: "software:microphone-\(index)",
      sampleRates: hasOneForm ? [16_000] : [16_000, 44_100, 48_000], channelCounts: hasOneForm ? [1] : [1, 2])
  }

  init(_ microphone: Microphone, index: Int, drift: Double) {
    self.microphone = microphone
    signal = TimeSignal(microphone: index)
    state = Locked(State(drift: drift))
  }

  var isPlugged: Bool { state.withLock(\.isPlugged) }

  func start(_ format: AudioFormat, sink: any AudioSink) async throws(CaptureError) -> MicrophoneThread {
    guard microphone.sampleRates.contains(format.sampleRate), microphone.channelCounts.contains(format.channelCount)
    else { throw .notSupported(format, by: microphone) }
    try state.withLock { state throws(CaptureError) in
      if !state.isPlugged { throw PCMError(call: "snd_pcm_open", errno: ENODEV).error(device: microphone.id) }
      if state.isTaken { throw PCMError(call: "snd_pcm_open", errno: EBUSY).error(device: microphone.id) }
      state.isTaken = true
    }
    return try await MicrophoneThread.start(
      MicrophoneThread.Assignment(
        deviceID: microphone.id, format: format, sink: sink,
        open: { [self] () throws(CaptureError) in try open(format) },
        didClose: { [self] in state.withLock { ($0.isTaken, $0.card) = (false, nil) } }))
  }

  private func open(_ format: AudioFormat) throws(CaptureError) -> any PCM {
    let (isPlugged, card) = state.withLock { state in
      let card = SyntheticPCM(signal, format, drift: state.drift)
      card.stall(until: state.stalledUntil)
      state.card = card
      return (state.isPlugged, card)
    }
    // The microphone may have been unplugged since it was taken.
    guard isPlugged else { throw PCMError(call: "snd_pcm_open", errno: ENODEV).error(device: microphone.id) }
    return card
  }

  /// Plugs the microphone in or out. Unplugging ends the running stream with `deviceDisconnected`.
  ///
  /// - Returns: false when the microphone was in that state already.
  func setPlugged(_ plugged: Bool) -> Bool {
    let (changed, card) = state.withLock { state in
      defer { state.isPlugged = plugged }
      return (state.isPlugged != plugged, plugged ? nil : state.card)
    }
    card?.fail(PCMError(call: "snd_pcm_readi", errno: ENODEV))
    return changed
  }

  /// Loses the sound of the next nanoseconds.
  func lose(_ nanoseconds: UInt64, _ cause: AudioLoss.Cause) {
    let errno = cause == .overrun ? EPIPE : ESTRPIPE
    state.withLock(\.card)?.lose(nanoseconds, as: PCMError(call: "snd_pcm_readi", errno: errno))
  }

  func stall(until instant: MonotonicInstant) {
    state.withLock { state in
      state.stalledUntil = instant
      return state.card
    }?.stall(until: instant)
  }

  func drift(_ drift: Double) {
    state.withLock { state in
      state.drift = drift
      return state.card
    }?.drift(drift)
  }
}

/// Makes synthetic microphones misbehave, for tests of everything that uses a microphone. Thread-safe. Every method
/// throws `deviceNotFound` for a microphone that the provider never had.
public struct SyntheticMicrophoneFaults: Sendable {
  let microphones: [SyntheticMicrophone]
  let changed: Broadcast<MicrophoneChange>

  /// Returns true when a synthetic microphone has this id, also while it is unplugged.
  public func has(_ id: String) -> Bool { (try? microphones.named(id)) != nil }

  /// Unplugs the microphone: a running source ends with `deviceDisconnected`, and the provider announces the change.
  /// Has no effect on a microphone that is unplugged already.
  public func unplug(_ id: String) throws(CaptureError) {
    let microphone = try microphones.named(id)
    if microphone.setPlugged(false) { changed.tell(MicrophoneChange(.disconnected, microphone.microphone)) }
  }

  /// Plugs the microphone in again. Sources that ended do not come back. Has no effect on a microphone that is plugged
  /// in.
  public func replug(_ id: String) throws(CaptureError) {
    let microphone = try microphones.named(id)
    if microphone.setPlugged(true) { changed.tell(MicrophoneChange(.connected, microphone.microphone)) }
  }

  /// Loses the sound of the next `duration`, as a card does whose buffer runs over or which is suspended. Has no effect
  /// on a microphone to which nobody listens.
  public func lose(_ id: String, _ cause: AudioLoss.Cause, for duration: Duration) throws(CaptureError) {
    try microphones.named(id).lose(duration.nanosecondsOrZero, cause)
  }

  /// Lets the microphone give nothing for `duration` from now. A long stall ends the stream with `deviceNotResponding`;
  /// the sound of a shorter one is lost where the card's buffer does not hold it.
  public func stall(_ id: String, for duration: Duration) throws(CaptureError) {
    let end = MonotonicInstant.now() + duration.nanosecondsOrZero
    try microphones.named(id).stall(until: end)
  }

  /// Makes the clock of the microphone's card so many millionths too fast, or too slow where `drift` is negative.
  public func drift(_ id: String, by drift: Double) throws(CaptureError) {
    try microphones.named(id).drift(drift)
  }
}

extension [SyntheticMicrophone] {
  func named(_ id: String) throws(CaptureError) -> SyntheticMicrophone {
    guard let microphone = first(where: { $0.microphone.id == id }) else { throw .notFound(microphone: id) }
    return microphone
  }
}

extension Duration {
  /// The duration in nanoseconds; 0 for a negative duration.
  fileprivate var nanosecondsOrZero: UInt64 {
    let (seconds, attoseconds) = components
    return self <= .zero ? 0 : UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}

/// Provides microphones made of software. Their sound comes from real threads in real time and says when it was
/// captured; see docs/time-signal.md.
public final class SyntheticMicrophoneProvider: MicrophoneProvider {
  private let all: [SyntheticMicrophone]
  private let changed = Broadcast<MicrophoneChange>(depth: MicrophoneChange.depth)
  /// The identity of every microphone, unplugged ones included, independent of the names that an operator gave.
  public let identities: [DeviceIdentity]

  /// Makes `count` microphones, all plugged in.
  ///
  /// - Parameters:
  ///   - count: a negative number counts as 0.
  ///   - drift: by how many millionths the clocks of their cards are too fast.
  ///   - directory: the operator's names. Other microphones are called `synthetic-microphone-0` and so on.
  public init(count: Int, drift: Double = 0, directory: DeviceDirectory = DeviceDirectory()) {
    let plain = (0..<max(0, count)).map(SyntheticMicrophone.microphone)
    identities = plain.map { DeviceIdentity(id: $0.id, location: $0.location) }
    all = zip(plain, directory.name(identities)).enumerated().map { index, named in
      SyntheticMicrophone(named.1.applied(to: named.0), index: index, drift: drift)
    }
  }

  /// Makes these microphones misbehave.
  public var faults: SyntheticMicrophoneFaults {
    SyntheticMicrophoneFaults(microphones: all, changed: changed)
  }

  /// The microphones that are plugged in, ordered by id.
  public func microphones() async -> [Microphone] {
    all.filter(\.isPlugged).map(\.microphone).sorted { $0.id < $1.id }
  }

  /// The changes from now on. A slow listener keeps the newest 64 changes and loses older ones.
  public func changes() -> AsyncStream<MicrophoneChange> { changed.watch() }

  /// Starts a thread that gives sound in real time, until the caller stops the source.
  ///
  /// - Throws: `deviceNotFound`, `deviceDisconnected` while the microphone is unplugged, `formatNotSupported`,
  ///   `deviceInUse` while another source has the microphone, `processingFailed` when the system cannot create a
  ///   thread.
  public func start(
    _ format: AudioFormat, on id: String, sink: any AudioSink
  ) async throws(CaptureError) -> any AudioSource {
    try await all.named(id).start(format, sink: sink)
  }
}
