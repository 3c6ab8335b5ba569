internal import SystemClocks

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
