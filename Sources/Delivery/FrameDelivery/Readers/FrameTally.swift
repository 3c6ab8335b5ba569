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
  /// By the rates that readers named.
  var rates: [Rational: RateTally] = [:]
  /// Frames received that the reader did not want; see ``seen(at:)``.
  var omitted: UInt64 = 0
  /// Frames received that it did want; see ``seen(at:)``.
  var wanted: UInt64 = 0
  /// Of the frames its rate leaves the reader wanted every n-th; see ``seen(at:)``.
  var every = 1

  /// Counts one frame more.
  mutating func add(missing: DropCounts, startsStream: Bool) {
    received += 1
    if startsStream { streams += 1 }
    self.missing += missing
  }

  /// Whether a reader of this pace wants the frame.
  func isDue(at pace: FramePace) -> Bool {
    guard let rate = rate(of: pace) else { return received.isMultiple(of: UInt64(pace.every)) }
    return rate.isDue && rate.due.isMultiple(of: UInt64(pace.every))
  }

  /// The tally as a reader of this pace counts.
  func seen(at pace: FramePace) -> FrameTally {
    var seen = self
    seen.omitted = rate(of: pace)?.omitted ?? 0
    seen.wanted = (rate(of: pace)?.due ?? received) / UInt64(pace.every)
    seen.every = pace.every
    seen.rates = [:]
    return seen
  }

  private func rate(of pace: FramePace) -> RateTally? {
    pace.maxRate.flatMap { rates[$0] }
  }

  /// Frames that the reader did not want, between the frame of `earlier` and this one, which may itself be one that its rate
  /// leaves out. None when a rate was forgotten in between and named anew: its grid, and its count, began again.
  func omitted(since earlier: FrameTally) -> UInt64 {
    omitted > earlier.omitted ? min(received - earlier.received - 1, omitted - earlier.omitted) : 0
  }

  /// What lies between the frame of `earlier` and this one: `late` are the frames received between that the reader wanted,
  /// `discontinuity` has one more for each new stream.
  func dropped(since earlier: FrameTally) -> DropCounts {
    let between = received - earlier.received - 1
    return DropCounts(
      late: missing.late - earlier.missing.late + between - omitted(since: earlier),
      outOfBuffers: missing.outOfBuffers - earlier.missing.outOfBuffers,
      discontinuity: missing.discontinuity - earlier.missing.discontinuity + (streams - earlier.streams),
      damaged: missing.damaged - earlier.missing.damaged)
  }
}
