internal import CaptureCore
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
