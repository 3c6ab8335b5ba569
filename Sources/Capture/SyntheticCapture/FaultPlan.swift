/// How a camera misbehaves from now on. A value: it decides, it does nothing.
struct FaultPlan: Hashable, Sendable {
  /// What becomes of one frame.
  enum Fate: Hashable, Sendable { case delivered, dropped, damaged }

  /// How long after its instant a frame is published, beyond the usual.
  var lateNanoseconds: UInt64 = 0
  /// Nothing is published before this instant of the monotonic clock.
  var stalledUntil: UInt64 = 0
  /// Frames still to lose. Those before ``framesToDamage``.
  var framesToDrop = 0
  var framesToDamage = 0
  /// From opening the device to its first exposure.
  var startLatency: Duration = .zero
  /// How much longer it takes to prepare an output of a session with this camera than the output's own work does.
  var outputInitDelay: Duration = .zero
  /// The only output that takes it; nil when each does.
  var slowOutput: String?
  /// Frames of each stream that are too dark, each a little less than the one before.
  var settlingFrames = 0

  /// How bright the picture of a tick is, above 0 to 1.
  func brightness(ofTick number: UInt64) -> Double {
    number < settlingFrames ? Double(number + 1) / Double(settlingFrames + 1) : 1
  }

  /// What preparing this output takes in addition.
  func initDelay(ofOutput id: String) -> Duration { slowOutput == nil || slowOutput == id ? outputInitDelay : .zero }

  /// When the frame of `tick` may be published.
  func publication(ofTick tick: UInt64) -> UInt64 { max(tick + lateNanoseconds, stalledUntil) }

  /// Decides about the next frame.
  mutating func takeFate() -> Fate {
    if framesToDrop > 0 {
      framesToDrop -= 1
      return .dropped
    }
    if framesToDamage > 0 {
      framesToDamage -= 1
      return .damaged
    }
    return .delivered
  }
}
