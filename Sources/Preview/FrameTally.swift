internal import CaptureCore

/// All that an output was given, up to and including one frame. What a reader missed between two frames is the
/// difference of their tallies, however many stages skipped frames in between.
struct FrameTally: Hashable, Sendable {
  /// Frames received.
  var received: UInt64 = 0
  /// Streams that began.
  var streams: UInt64 = 0
  /// What the source lost before frames reached the output.
  var missing = DropCounts()

  /// Counts one frame more.
  mutating func add(missing: DropCounts, startsStream: Bool) {
    received += 1
    if startsStream { streams += 1 }
    self.missing += missing
  }

  /// What lies between the frame of `earlier` and this one: `late` are the frames received between, `discontinuity`
  /// has one more for each new stream.
  func dropped(since earlier: FrameTally) -> DropCounts {
    DropCounts(
      late: missing.late - earlier.missing.late + (received - earlier.received - 1),
      outOfBuffers: missing.outOfBuffers - earlier.missing.outOfBuffers,
      discontinuity: missing.discontinuity - earlier.missing.discontinuity + (streams - earlier.streams))
  }
}
