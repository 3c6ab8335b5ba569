internal import CaptureCore

/// Everything that an output was given, up to and including one frame. The difference between the tallies of two frames
/// is what a reader missed between these frames, however many stages skipped frames.
struct FrameTally: Hashable, Sendable {
  /// Frames that the output received.
  var received: UInt64 = 0
  /// Streams that began.
  var streams: UInt64 = 0
  /// Frames that the source lost before they reached the output, by cause.
  var missing = DropCounts()
  /// The tally of each rate that readers asked for.
  var rates: [Rational: RateTally] = [:]
  /// Received frames that the reader did not want. Only ``seen(at:)`` sets this count.
  var omitted: UInt64 = 0
  /// Received frames that the reader wanted. Only ``seen(at:)`` sets this count.
  var wanted: UInt64 = 0
  /// The reader wanted every n-th of the frames that its rate left. Only ``seen(at:)`` sets this number.
  var every = 1

  /// Counts one more frame, and the frames that are missing before it.
  mutating func add(missing: DropCounts, startsStream: Bool) {
    received += 1
    if startsStream { streams += 1 }
    self.missing += missing
  }

  /// Whether a reader of this pace wants the frame of the tally.
  func isDue(at pace: FramePace) -> Bool {
    guard let rate = rate(of: pace) else { return received.isMultiple(of: UInt64(pace.every)) }
    return rate.isDue && rate.due.isMultiple(of: UInt64(pace.every))
  }

  /// The tally as it counts for a reader of this pace.
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

  /// Frames between the frame of `earlier` and this frame that the reader did not want. This frame itself may be one
  /// that the reader's rate leaves out. 0 when the rate was forgotten in between and asked for again, because its grid
  /// and its count began anew.
  func omitted(since earlier: FrameTally) -> UInt64 {
    omitted > earlier.omitted ? min(received - earlier.received - 1, omitted - earlier.omitted) : 0
  }

  /// Frames lost between the frame of `earlier` and this frame, by cause. Each count includes the frames that the
  /// source lost. `late` also includes the frames received in between that the reader wanted, and `discontinuity` also
  /// includes one for each new stream.
  func dropped(since earlier: FrameTally) -> DropCounts {
    let between = received - earlier.received - 1
    return DropCounts(
      late: missing.late - earlier.missing.late + between - omitted(since: earlier),
      outOfBuffers: missing.outOfBuffers - earlier.missing.outOfBuffers,
      discontinuity: missing.discontinuity - earlier.missing.discontinuity + (streams - earlier.streams),
      damaged: missing.damaged - earlier.missing.damaged)
  }
}

/// What a rate made of the frames of an output, up to and including one frame.
struct RateTally: Hashable, Sendable {
  /// Frames that the rate left out.
  var omitted: UInt64 = 0
  /// Frames that were due.
  var due: UInt64 = 0
  /// Whether the last of the counted frames is due.
  var isDue = true

  mutating func take(isDue: Bool) {
    self.isDue = isDue
    if isDue { due += 1 } else { omitted += 1 }
  }
}
