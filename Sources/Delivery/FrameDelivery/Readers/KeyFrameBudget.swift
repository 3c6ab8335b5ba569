internal import SystemClocks

/// How many key frames readers may ask an encoder for. A value.
///
/// Key frames are large. A few are in store, so that single readers need not wait. Each one that is made takes one from
/// the store, and one comes back every second, so readers who ask all the time get one a second in the long run.
struct KeyFrameBudget: Sendable {
  /// The number of key frames in a full store.
  static let capacity: UInt64 = 5
  /// After how many nanoseconds one comes back.
  static let refill: UInt64 = 1_000_000_000

  /// When the store is full again. Nil before the first key frame.
  private var full: MonotonicInstant?

  /// Whether there is a key frame in store.
  func allows(at instant: MonotonicInstant) -> Bool {
    guard let full, instant < full else { return true }
    return full.nanoseconds(since: instant) <= (Self.capacity - 1) * Self.refill
  }

  /// Takes a key frame from the store.
  mutating func take(at instant: MonotonicInstant) { full = max(full ?? instant, instant) + Self.refill }
}
