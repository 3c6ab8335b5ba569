internal import SystemClocks

/// The values that something had, each with the instant from which on it had the value. A value without threads.
struct Timeline<Value: Hashable & Sendable>: Sendable {
  private(set) var changes: [(since: MonotonicInstant, value: Value)] = []

  /// Adds a value that holds from `instant` on.
  mutating func append(_ value: Value, since instant: MonotonicInstant) {
    changes.append((max(instant, changes.last?.since ?? instant), value))
  }

  /// Lets the values that were added for a picture hold before the picture: what came later than `instant` holds from
  /// `instant` on.
  mutating func advance(to instant: MonotonicInstant) {
    for index in changes.indices.reversed() {
      guard changes[index].since > instant else { return }
      changes[index].since = instant
    }
  }

  /// Forgets the values that no longer held at `horizon`.
  mutating func forget(before horizon: MonotonicInstant) {
    while changes.count > 1, changes[1].since <= horizon { changes.removeFirst() }
  }

  /// The value at `instant`; before the first change, the first value. Nil while there is no value.
  func value(at instant: MonotonicInstant) -> Value? {
    (changes.last { $0.since <= instant } ?? changes.first)?.value
  }

  /// When the value changes next after `instant`.
  func nextChange(after instant: MonotonicInstant) -> MonotonicInstant? {
    changes.first { $0.since > instant }?.since
  }
}
