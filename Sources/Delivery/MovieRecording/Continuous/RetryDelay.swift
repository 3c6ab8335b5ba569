internal import SystemClocks

/// When a continuous recording or the encoder of a pre-roll tries again after a failure, as a value. It counts in the
/// time of the camera's frames.
struct RetryDelay: Sendable {
  /// The delay after the first failure and the longest one, in nanoseconds. Each failure in a row doubles the delay.
  static let bounds: ClosedRange<UInt64> = 1_000_000_000...32_000_000_000

  /// How much of a run must be on the storage, or coded for a pre-roll, until the next failure counts as the first one,
  /// in nanoseconds.
  static let steadyDuration: UInt64 = 60_000_000_000

  /// The number of failures since the last success.
  private(set) var failures = 0
  private var waitsSince: MonotonicInstant?
  private var isWaiting = false

  /// The delay after the newest failure, in nanoseconds.
  var delay: UInt64 { min(Self.bounds.upperBound, Self.bounds.lowerBound << UInt64(min(max(failures - 1, 0), 5))) }

  /// Whether the recording may begin with a frame of this time stamp. The delay begins with the first frame after the
  /// failure.
  mutating func allowsStart(at stamp: MonotonicInstant) -> Bool {
    guard isWaiting else { return true }
    let start = waitsSince ?? stamp
    waitsSince = start
    if stamp < start + delay { return false }
    isWaiting = false
    return true
  }

  /// Notes a failure, and returns whether it is the first one in a row.
  @discardableResult
  mutating func noteFailure() -> Bool {
    failures += 1
    (isWaiting, waitsSince) = (true, nil)
    return failures == 1
  }

  /// Lets the recording begin with the next frame.
  mutating func endDelay() { isWaiting = false }

  /// Notes that a recording goes on without a failure, so that the next one may begin at once. Returns how many
  /// failures in a row came before it.
  mutating func noteSuccess() -> Int {
    defer { (failures, isWaiting) = (0, false) }
    return failures
  }
}
