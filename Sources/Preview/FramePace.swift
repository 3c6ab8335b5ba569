internal import CaptureCore

/// Which of an output's frames a reader wants.
struct FramePace: Hashable, Sendable {
  /// Frames per second at most. Nil: all.
  var maxRate: Rational?
  /// Of these every n-th.
  var every = 1
}

/// What a rate made of the frames up to and including one.
struct RateTally: Hashable, Sendable {
  var rate: Rational
  /// Frames left out.
  var omitted: UInt64 = 0
  /// Frames that are not.
  var due: UInt64 = 0
  /// Whether the frame itself is not.
  var isDue = true
}

/// The rates that readers of an output named, each with its own grid: readers of the same rate get the same frames, so that
/// these are encoded once. A value.
struct FrameRates: Sendable {
  private var paced: [(pacing: FramePacing, tally: RateTally)] = []
  private var last: (streamID: UInt64, sequence: UInt64, instant: UInt64)?
  /// Nanoseconds from frame to frame, smoothed.
  private var interval: UInt64 = 0

  /// Begins and forgets rates.
  mutating func set(_ rates: Set<Rational>) {
    paced.removeAll { !rates.contains($0.tally.rate) }
    for rate in rates where !paced.contains(where: { $0.tally.rate == rate }) {
      paced.append((FramePacing(rate: rate), RateTally(rate: rate)))
    }
  }

  /// Decides about the next frame. Costs an allocation only when there are rates.
  mutating func next(_ frame: Frame) -> [RateTally] {
    let instant = frame.time.monotonicNanoseconds
    if let last, last.streamID == frame.streamID, last.sequence < frame.sequence, last.instant < instant {
      let step = (instant - last.instant) / (frame.sequence - last.sequence)
      interval = interval == 0 ? step : (7 * interval + step) / 8
    }
    last = (frame.streamID, frame.sequence, instant)
    for index in paced.indices {
      let isDue = paced[index].pacing.keeps(instant, interval: interval)
      paced[index].tally.isDue = isDue
      if isDue { paced[index].tally.due += 1 } else { paced[index].tally.omitted += 1 }
    }
    return paced.map(\.tally)
  }
}
