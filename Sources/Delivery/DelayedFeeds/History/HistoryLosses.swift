internal import CaptureCore

/// Frames that are missing between two pictures of a history, or since the history began.
struct HistoryLosses: Hashable, Sendable {
  /// The frames that were lost, by cause.
  var dropped = DropCounts()
  /// The frames that were left out because the readers asked for fewer.
  var omitted: UInt64 = 0

  /// What was lost since `earlier`, when less had been lost.
  func since(_ earlier: HistoryLosses) -> HistoryLosses {
    let (now, before) = (dropped, earlier.dropped)
    return HistoryLosses(
      dropped: DropCounts(
        late: now.late - before.late, outOfBuffers: now.outOfBuffers - before.outOfBuffers,
        discontinuity: now.discontinuity - before.discontinuity, damaged: now.damaged - before.damaged),
      omitted: omitted - earlier.omitted)
  }
}
