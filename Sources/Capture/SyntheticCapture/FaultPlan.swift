internal import SystemClocks

/// How a camera misbehaves from now on. A value: the capture thread carries out what the plan decides.
struct FaultPlan: Hashable, Sendable {
  /// The fate of one frame. A dropped frame counts as a discontinuity; the sink gets neither dropped nor damaged
  /// frames.
  enum Fate: Hashable, Sendable { case delivered, dropped, damaged }

  /// How long after its usual time the camera publishes each frame, in nanoseconds.
  var lateNanoseconds: UInt64 = 0
  /// The camera publishes no frame before this instant; nil when it does not stall.
  var stalledUntil: MonotonicInstant?
  /// The number of frames that the camera still loses. The camera loses these frames before it damages any.
  var framesToDrop = 0
  /// The number of frames that the camera still damages.
  var framesToDamage = 0
  /// The time from the opening of the device to its first exposure.
  var startLatency: Duration = .zero
  /// How much longer the preparation of an output takes, in a session with this camera, than the output's own work.
  var outputInitDelay: Duration = .zero
  /// The id of the only output that ``outputInitDelay`` slows down; nil when it slows down every output.
  var slowOutput: String?
  /// How many frames at the beginning of each stream are too dark. Each of these frames is a little brighter than the
  /// one before.
  var settlingFrames = 0

  /// The brightness of the picture of a tick, above 0 and at most 1.
  func brightness(ofTick number: UInt64) -> Double {
    number < settlingFrames ? Double(number + 1) / Double(settlingFrames + 1) : 1
  }

  /// How much longer the preparation of the output `id` takes; zero for an output that the plan does not slow down.
  func initDelay(ofOutput id: String) -> Duration { slowOutput == nil || slowOutput == id ? outputInitDelay : .zero }

  /// The earliest time at which the camera may publish the frame that was exposed at `tick`.
  func publication(ofTick tick: MonotonicInstant) -> MonotonicInstant {
    max(tick + lateNanoseconds, stalledUntil ?? tick)
  }

  /// Decides about the next frame, and counts that frame off the frames still to be dropped or damaged.
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
