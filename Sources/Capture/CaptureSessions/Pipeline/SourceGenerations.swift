internal import CaptureCore

/// Tells the last words of a camera's present source from those of its former ones. A value.
struct SourceGenerations: Sendable {
  /// The source that started last.
  private(set) var current: UInt64 = 0
  /// The newest source that stalled or ended by itself, and what that interrupts the session by; nil when it ends it.
  private(set) var lost: (generation: UInt64, reason: InterruptionReason?)?
  private var last: UInt64 = 0

  /// A number for a source that is about to start.
  mutating func next() -> UInt64 {
    last += 1
    return last
  }

  /// The source of that number runs. Not before, because what a source that still runs says of itself must be heard when
  /// another does not start.
  mutating func started(_ generation: UInt64) { current = generation }

  /// A source stalled or ended by itself.
  ///
  /// - Returns: whether it is the present one.
  mutating func noteLoss(of generation: UInt64, _ error: CaptureError) -> Bool {
    if generation >= lost?.generation ?? 0 { lost = (generation, InterruptionReason(error)) }
    return generation == current
  }

  /// Whether the present source stalled or ended by itself.
  var isLost: Bool { lost?.generation == current }
}
