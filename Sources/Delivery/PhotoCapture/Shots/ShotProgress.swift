internal import CaptureCore
internal import SystemClocks

/// How far the shot of an output is, which is one at most, and when the camera was set for those before. A value, which
/// ``PhotoQueueStateMachine`` holds.
struct ShotProgress: Sendable {
  /// The step that is under way, or nothing. In an array, because looking at an optional copies what it holds, which
  /// each frame would do.
  private var steps: [ShotExposure] = []
  /// When the camera was set for captures.
  private(set) var shadow = ShotShadow()

  /// Whether a step is under way, so that it needs the next frame.
  var hasStep: Bool { !steps.isEmpty }

  /// Notes that the camera is being set for a capture that began at `instant`.
  ///
  /// - Returns: whether the driver's first readings may still be those of another shot.
  mutating func begin(at instant: MonotonicInstant) -> Bool {
    defer { shadow.set(from: instant) }
    return shadow.mayHaveReadings(of: instant)
  }

  /// Begins a step, in place of the one before.
  mutating func beginStep(_ step: ShotExposure) { steps = [step] }

  /// Gives the next frame of the stream to the step.
  ///
  /// - Returns: the step's result and who waits for it, when the frame ends the step.
  mutating func offer(_ frame: CapturedFrame, now: MonotonicInstant) -> (
    PhotoQueueActions.ExposureWaiter, Result<HeldFrame, CaptureError>
  )? {
    guard !steps.isEmpty, let result = steps[0].offer(frame, now: now) else { return nil }
    return (steps.removeLast().waiter, result)
  }

  /// Ends the step whose frames cannot come any more, and returns it with those that it has; nil when there is none.
  mutating func endStep() -> ShotExposure? { steps.popLast() }

  /// Ends the step of a capture that is not under way any more.
  ///
  /// - Returns: who waits for the step.
  mutating func endStep(unlessIn places: CapturePlaces) -> PhotoQueueActions.ExposureWaiter? {
    if steps.isEmpty || places.holds(steps[0].ticket) { return nil }
    return steps.removeLast().waiter
  }

  /// Notes that the shot that began at `instant` is over.
  ///
  /// - Parameter end: from when on frames have the camera's former settings.
  mutating func end(from instant: MonotonicInstant, to end: MonotonicInstant) { shadow.set(from: instant, to: end) }

  /// The instant, or the end of the last shot if that is later. The end is unknown while a shot goes on; no capture
  /// begins then, except when the shot was given up.
  func afterShots(_ instant: MonotonicInstant) -> MonotonicInstant {
    guard let end = shadow.end, end != .distantFuture else { return instant }
    return max(instant, end + 1)
  }
}

/// The times in which the camera was set for captures. Frames of these times do not show what the camera sees
/// otherwise. A value.
struct ShotShadow: Hashable, Sendable {
  /// More shots than fit into the time in which a frame counts as "now".
  private static let maximum = 16

  /// How old a driver's readings may be when a frame gets them. The driver is asked four times a second, after a frame.
  private static let readingsAge: UInt64 = 250_000_000

  private var spans: [ClosedRange<MonotonicInstant>] = []

  /// When the last shot ended; `.distantFuture` while one goes on, and nil when there was none.
  var end: MonotonicInstant? { spans.map(\.upperBound).max() }

  /// Adds a shot that began at `began`, or sets the end of that shot.
  mutating func set(from began: MonotonicInstant, to end: MonotonicInstant = .distantFuture) {
    let span = began...max(began, end)
    if let index = spans.firstIndex(where: { $0.lowerBound == began }) {
      spans[index] = span
    } else {
      spans = spans.suffix(Self.maximum - 1) + [span]
    }
  }

  /// Whether the readings that a frame of `instant` has may be those of a shot.
  func mayHaveReadings(of instant: MonotonicInstant) -> Bool {
    spans.contains { $0.lowerBound <= instant && instant.nanoseconds(since: $0.upperBound) <= Self.readingsAge }
  }

  /// Whether the camera was set for a capture at `instant`.
  func contains(_ instant: MonotonicInstant) -> Bool { spans.contains { $0.contains(instant) } }
}
