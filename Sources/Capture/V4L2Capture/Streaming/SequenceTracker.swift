internal import CaptureCore

/// Turns the driver's 32-bit sequence numbers into 64-bit ones that only grow, and accounts for every number that
/// nobody got. Delivered + missing = produced, counted from the first buffer that was dequeued.
struct SequenceTracker {
  /// Why a dequeued buffer was not published.
  enum Loss { case damaged, outOfBuffers }

  private enum Numbering {
    /// The driver gave one number only, and `withheld` buffers that repeat it.
    case unknown(withheld: Int)
    case counts
    /// Some drivers leave it 0.
    case none
  }

  private var last: (driver: UInt32, unwrapped: UInt64)?
  private var numbering = Numbering.unknown(withheld: 0)
  /// Dequeued and not published since the last published frame, but for repetitions.
  private var damaged: UInt64 = 0
  private var outOfBuffers: UInt64 = 0
  /// Withheld as a repetition, which it was not.
  private var withheld: UInt64 = 0

  /// Notes a buffer that is not published. Its number is not looked at: it lies in the gap before the next published
  /// frame, where it is counted once; and drivers leave old numbers in buffers they flag as damaged.
  mutating func lose(_ loss: Loss) {
    switch loss {
    case .damaged: damaged += 1
    case .outOfBuffers: outOfBuffers += 1
    }
  }

  /// Whether the driver gives the last published number once more, as vivid does when its timer came late.
  ///
  /// Such a frame is not to be published: counted, it would take its successor's number, and no later frame would have
  /// the driver's number again. Nearly every driver counts, so the first repetition of a stream's first number counts as
  /// one too; with the second it is plain that the driver has no numbers, and that a frame was lost.
  mutating func repeats(_ driver: UInt32) -> Bool {
    guard let last, last.driver == driver else { return false }
    switch numbering {
    case .counts: return true
    case .none: return false
    case .unknown(withheld: 0):
      numbering = .unknown(withheld: 1)
      return true
    case .unknown:
      numbering = .none
      withheld += 1
      return false
    }
  }

  /// The sequence and losses of a frame about to be published.
  mutating func publish(_ driver: UInt32) -> (sequence: UInt64, missing: DropCounts) {
    let known = damaged + outOfBuffers + withheld
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
        gap = known + 1
      }
    } else {
      gap = known
    }
    if let last, driver != last.driver { numbering = .counts }
    let missing = DropCounts(
      outOfBuffers: outOfBuffers, discontinuity: max(gap, known) - known + withheld, damaged: damaged)
    let sequence = last.map { $0.unwrapped + missing.total + 1 } ?? UInt64(driver)
    (last, damaged, outOfBuffers, withheld) = ((driver, sequence), 0, 0, 0)
    return (sequence, missing)
  }
}
