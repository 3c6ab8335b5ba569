public import CaptureCore
internal import Locking
internal import SystemClocks

/// Makes synthetic microphones misbehave, for tests of everything that uses a microphone. Thread-safe. Every method
/// throws `deviceNotFound` for a microphone that the provider never had.
public struct SyntheticMicrophoneFaults: Sendable {
  let microphones: [SyntheticMicrophone]
  let changed: Broadcast<MicrophoneChange>

  /// Whether there is a synthetic microphone with this id, plugged in or not.
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
