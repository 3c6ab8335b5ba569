internal import CaptureCore

/// Turns the driver's 32-bit sequence numbers into 64-bit ones that only grow, and accounts for every number that
/// nobody got. Delivered + missing = produced, counted from the first buffer that was dequeued.
struct SequenceTracker {
  /// Why a dequeued buffer was not published.
  enum Loss { case damaged, outOfBuffers }

  private var last: (driver: UInt32, stamp: UInt64?, unwrapped: UInt64)?
  /// Whether the driver's numbers ever changed; some drivers leave them 0.
  private var driverCounts = false
  /// Dequeued and not published since the last published frame.
  private var damaged: UInt64 = 0
  private var outOfBuffers: UInt64 = 0

  /// Notes a buffer that is not published. Its number is not looked at: it lies in the gap before the next published
  /// frame, where it is counted once; and drivers leave old numbers in buffers they flag as damaged.
  mutating func lose(_ loss: Loss) {
    switch loss {
    case .damaged: damaged += 1
    case .outOfBuffers: outOfBuffers += 1
    }
  }

  /// Whether the driver gives the last published frame's number once more, as vivid does when its timer came late.
  ///
  /// One that was never seen to count may have no numbers at all: it repeats itself where the time stamp is the same too.
  ///
  /// Such a frame is not to be published: counted, it would take its successor's number, and no later frame would have
  /// the driver's number again.
  ///
  /// - Parameter stamp: the driver's, nanoseconds; nil or 0 when it is not a time.
  func repeats(_ driver: UInt32, stamp: UInt64?) -> Bool {
    guard let last, last.driver == driver else { return false }
    return driverCounts || (stamp ?? 0 != 0 && stamp == last.stamp)
  }

  /// The sequence and losses of a frame about to be published.
  mutating func publish(_ driver: UInt32, stamp: UInt64? = nil) -> (sequence: UInt64, missing: DropCounts) {
    let known = damaged + outOfBuffers
    /// Numbers between the last published frame and this one.
    let gap: UInt64
    if let last {
      switch driver &- last.driver {
      case 0:
        // The driver does not count: what was dequeued is all there is to know.
        gap = known
      case let step where step < 0x8000_0000:
        gap = UInt64(step) - 1
      default:
        // The driver started again. How many it skipped is unknown; it is marked by one.
        gap = max(known, outOfBuffers + 1)
      }
    } else {
      gap = known
    }
    if let last, driver != last.driver { driverCounts = true }
    let missing = DropCounts(
      outOfBuffers: outOfBuffers, discontinuity: max(gap, known) - outOfBuffers)
    let sequence = last.map { $0.unwrapped + missing.total + 1 } ?? UInt64(driver)
    (last, damaged, outOfBuffers) = ((driver, stamp, sequence), 0, 0)
    return (sequence, missing)
  }
}
