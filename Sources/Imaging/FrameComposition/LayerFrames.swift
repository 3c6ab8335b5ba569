internal import CaptureCore
internal import SystemClocks

/// The frames of one input that a picture may still show. A value.
struct LayerFrames: Sendable {
  /// The frame that the newest picture shows.
  private(set) var shown: CapturedFrame?
  /// Later frames than ``shown``, oldest first.
  private(set) var waiting: [CapturedFrame] = []
  private(set) var timing = InputTiming()

  /// Takes the next frame. When too many wait, the oldest goes, so that the camera gets its memory back.
  ///
  /// - Returns: whether the frame is later than the one before; any other is not taken.
  mutating func receive(_ frame: CapturedFrame, at now: MonotonicInstant) -> Bool {
    guard timing.note(frame.frame, at: now) else { return false }
    if waiting.count == FramePartners.heldFrames { waiting.removeFirst() }
    waiting.append(frame)
    return true
  }

  /// Takes back the frame that ``receive(_:at:)`` took last, because the clock of the composition keeps it.
  mutating func removeNewest() { waiting.removeLast() }

  /// Lets go of the frames that wait.
  mutating func removeWaiting() { waiting.removeAll() }

  /// The frame to show beside a frame that was captured at `instant`: the nearest, if it is at most half a period away.
  /// Else the layer stays as it was: the latest frame before that instant.
  ///
  /// - Parameter period: the time between two frames of an input that does not know its own yet.
  func choose(at instant: MonotonicInstant, period: UInt64) -> (frame: CapturedFrame?, isStale: Bool) {
    let all = (shown.map { [$0] } ?? []) + waiting
    func distance(_ frame: CapturedFrame) -> UInt64 {
      frame.frame.time.monotonic.signedNanoseconds(since: instant).magnitude
    }
    if let nearest = all.min(by: { distance($0) < distance($1) }), distance(nearest) <= (timing.period ?? period) / 2 {
      return (nearest, false)
    }
    return (all.last { $0.frame.time.monotonic <= instant } ?? shown, true)
  }

  /// Notes that a picture shows `frame`. No later picture shows an earlier frame, so those go.
  mutating func show(_ frame: CapturedFrame) {
    waiting.removeAll { $0.frame.time.monotonic <= frame.frame.time.monotonic }
    shown = frame
  }

  /// Forgets a frame that cannot be shown.
  mutating func forget(_ frame: CapturedFrame) {
    waiting.removeAll { $0 === frame }
    if shown === frame { shown = nil }
  }
}
