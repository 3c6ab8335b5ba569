internal import CaptureCore

/// Turns the driver's 32-bit sequence numbers into 64-bit numbers that only grow, and counts every frame that was not
/// published. From the first dequeued buffer on, the published and the missing frames together are all frames that the
/// camera produced.
struct SequenceTracker {
  /// Why a dequeued buffer was not published.
  enum Loss { case damaged, outOfBuffers }

  /// Whether the driver numbers its frames.
  private enum Numbering {
    /// Not known yet: all buffers so far had the same number. `withheld` of them were not published, because they
    /// looked like a repetition of the first.
    case unknown(withheld: Int)
    /// The driver gives each frame another number.
    case counts
    /// The driver gives every frame the same number; some drivers always give 0.
    case none
  }

  /// The last published frame: the driver's number, and the published 64-bit number. Nil before the first.
  private var last: (driver: UInt32, unwrapped: UInt64)?
  private var numbering = Numbering.unknown(withheld: 0)
  /// The damaged buffers since the last published frame.
  private var damaged: UInt64 = 0
  /// The buffers since the last published frame for which the pool had no memory.
  private var outOfBuffers: UInt64 = 0
  /// Frames since the last published frame that were withheld as repetitions, but were not.
  private var withheld: UInt64 = 0

  /// Counts a buffer that is not published. The buffer's number is ignored, for two reasons: the number lies in the gap
  /// before the next published frame, where it is counted once, and drivers leave old numbers in buffers that they mark
  /// as damaged.
  mutating func lose(_ loss: Loss) {
    switch loss {
    case .damaged: damaged += 1
    case .outOfBuffers: outOfBuffers += 1
    }
  }

  /// Whether the buffer only repeats the number of the last published frame, as the driver vivid does when its timer is
  /// late.
  ///
  /// The caller must not publish such a frame: the frame would take the number of its successor, and all later frames
  /// would have other numbers than the driver's. Nearly every driver counts, so the first repetition of a stream's
  /// first number is taken for a repetition too. The second repetition shows that the driver does not number its
  /// frames, and that the first repetition was a frame that is now lost.
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

  /// Notes a buffer that has no picture, so that its number is no frame that was lost.
  mutating func pass(_ driver: UInt32) {
    guard let last, driver &- last.driver == 1 else { return }
    self.last = (driver, last.unwrapped + 1)
  }

  /// The 64-bit sequence number of a frame that is about to be published, and the frames that are missing before it.
  mutating func publish(_ driver: UInt32) -> (sequence: UInt64, missing: DropCounts) {
    let known = damaged + outOfBuffers + withheld
    /// The number of frames between the last published frame and this one.
    let gap: UInt64
    if let last {
      switch driver &- last.driver {
      case 0:
        // The driver does not number its frames, so only the dequeued buffers are known.
        gap = known
      case let step where step < 0x8000_0000:
        gap = UInt64(step) - 1
      default:
        // The driver began to count again. Nothing tells how many frames it skipped, so the gap counts one.
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
