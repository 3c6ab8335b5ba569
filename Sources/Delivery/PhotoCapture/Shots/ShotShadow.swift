internal import SystemClocks

/// When the camera was set for captures: frames of then are not what it sees otherwise. A value.
struct ShotShadow: Hashable, Sendable {
  /// More than fit into the time in which a frame is "now".
  private static let maximum = 16

  /// How old a driver's readings may be when a frame gets them: it is asked four times a second, after a frame.
  private static let readingsAge: UInt64 = 250_000_000

  private var spans: [ClosedRange<MonotonicInstant>] = []

  /// When the last one ends; `.distantFuture` while one has not ended, nil when there was none.
  var end: MonotonicInstant? { spans.map(\.upperBound).max() }

  /// - Parameter end: unset while it is not known. A second call for the same beginning tells it.
  mutating func set(from began: MonotonicInstant, to end: MonotonicInstant = .distantFuture) {
    let span = began...max(began, end)
    if let index = spans.firstIndex(where: { $0.lowerBound == began }) {
      spans[index] = span
    } else {
      spans = spans.suffix(Self.maximum - 1) + [span]
    }
  }

  /// Whether what was read of the sensor for a frame of `instant` may be of then.
  func mayHaveReadings(of instant: MonotonicInstant) -> Bool {
    spans.contains { $0.lowerBound <= instant && instant.nanoseconds(since: $0.upperBound) <= Self.readingsAge }
  }

  func contains(_ instant: MonotonicInstant) -> Bool { spans.contains { $0.contains(instant) } }
}
