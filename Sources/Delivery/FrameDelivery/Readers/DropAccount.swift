internal import CaptureCore

/// Counts the frames that one reader wanted and did not get, by cause, from the tallies of its output.
struct DropAccount: Sendable {
  /// The tally of the frame that was delivered last. Before the first delivery, the output's tally when the reader
  /// came.
  private var last: FrameTally
  private var hasDelivered = false
  /// The number, within the output, of the newest frame that was offered.
  private var newestOffered: UInt64 = 0
  /// How many frames the reader wanted up to the frame that was offered or lost last, where the reader wants every n-th
  /// of the frames that its rate leaves.
  private var wanted: (count: UInt64, every: Int)
  /// Frames lost after the waiting frames by other causes than lateness.
  private var lostAfter = DropCounts()

  /// - Parameter base: the output's tally when the reader comes. What the output lost before then does not count.
  init(base: FrameTally) {
    last = base
    wanted = (base.wanted, base.every)
  }

  /// Whether the reader is owed a frame: a frame that the reader wanted never came, because the frame of `tally` took
  /// that frame's place in the encoding. False when the reader has come to want more or fewer frames since: then
  /// counting begins anew with the next frame that is due.
  func isOwed(_ tally: FrameTally) -> Bool { tally.every == wanted.every && tally.wanted > wanted.count }

  /// Notes a frame that is offered to the reader.
  ///
  /// - Parameter isWanted: whether the reader wants the frame for its own sake: it is due, or the next picture needs
  ///   it.
  /// - Returns: false when the slot ignores the frame: it is not newer than the frame offered before, so that two ways
  ///   to the same reader cannot turn time back, or it is not wanted, is not the first and comes in place of none.
  mutating func noteOffered(_ tally: FrameTally, isWanted: Bool) -> Bool {
    guard tally.received > newestOffered, isWanted || newestOffered == 0 || isOwed(tally) else { return false }
    newestOffered = tally.received
    wanted = (tally.wanted, tally.every)
    return true
  }

  /// Counts the frame of `tally`, which is not going to be offered, as lost by `cause` and not as late.
  mutating func lose(_ tally: FrameTally, _ cause: DropCounts) {
    guard tally.received > last.received, tally.received > newestOffered else { return }
    // The reader is told of the lost frame, so it is owed no other frame in its place.
    wanted = (tally.wanted, tally.every)
    lostAfter += cause
  }

  /// Counts frames that were offered or waited, and are lost by other causes than lateness.
  mutating func add(_ lost: DropCounts) { lostAfter += lost }

  /// Returns what was lost since the last waiting frame, for the frame that waits from now on.
  mutating func takeLost() -> DropCounts {
    defer { lostAfter = DropCounts() }
    return lostAfter
  }

  /// Counts a frame as delivered.
  ///
  /// - Parameters:
  ///   - tally: the frame's tally.
  ///   - lost: what ``takeLost()`` returned when the frame began to wait.
  /// - Returns: the frames lost since the frame before, by cause, and how many in between the reader did not want.
  mutating func deliver(_ tally: FrameTally, lost: DropCounts) -> (dropped: DropCounts, omitted: UInt64) {
    let omitted = hasDelivered ? tally.omitted(since: last) : 0
    var dropped = DropCounts()
    if hasDelivered || tally.received > last.received {
      dropped = tally.dropped(since: last)
      // A stream that began before the reader's first frame is no gap, because the reader has seen no other stream.
      if !hasDelivered { dropped.discontinuity -= tally.streams - last.streams }
      dropped.late -= min(dropped.late, lost.total)
      dropped += lost
    }
    last = tally
    hasDelivered = true
    return (dropped, omitted)
  }
}
