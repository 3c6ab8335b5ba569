internal import CaptureCore
internal import SystemClocks

/// Decides when an encoder must make a key frame. A value.
///
/// The first picture must be a key frame. A reader who cannot go on without a key frame gets one with the next picture
/// while ``KeyFrameBudget`` allows one, and otherwise waits. The encoder also makes a key frame every ten seconds, so
/// that a recording of a part of the stream can be decoded.
struct KeyFrameSchedule: Sendable {
  /// The longest time from one key frame to the next, in nanoseconds.
  static let longest: UInt64 = 10_000_000_000

  private var isWanted = false
  private var budget = KeyFrameBudget()
  private var last: (instant: MonotonicInstant, rate: Rational?)?
  private var streamID: UInt64?

  /// Takes note that a reader waits for a key frame.
  mutating func request() { isWanted = true }

  /// Decides whether the next picture must be a key frame. The first picture of each of the camera's streams must be
  /// one, and so must a picture whose rate is not the one that the last key frame named.
  ///
  /// - Parameters:
  ///   - instant: when the picture was captured.
  ///   - rate: the nominal rate that a key frame would name. Nil when nobody knows the rate.
  mutating func forces(at instant: MonotonicInstant, streamID: UInt64, rate: Rational?) -> Bool {
    if self.streamID != streamID { (self.streamID, last) = (streamID, nil) }
    guard let last, last.instant <= instant else { return true }
    return (isNeeded(for: rate) && budget.allows(at: instant))
      || instant.nanoseconds(since: last.instant) >= Self.longest
  }

  /// Takes note that the picture that was captured at `instant` was made as a key frame that names `rate`.
  mutating func madeKeyFrame(at instant: MonotonicInstant, rate: Rational?) {
    if isNeeded(for: rate), budget.allows(at: instant) { budget.take(at: instant) }
    (last, isWanted) = ((instant, rate), false)
  }

  private func isNeeded(for rate: Rational?) -> Bool { isWanted || (last.map { $0.rate != rate } ?? false) }
}

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
