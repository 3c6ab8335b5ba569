internal import CaptureCore
internal import SystemClocks

/// The rates that readers of an output asked for. Each rate has a grid of its own: readers of the same rate get the
/// same frames, so that these frames are encoded once. A value.
struct FrameRates: Sendable {
  /// The grid and the tally of each rate. A dictionary, so that a reader's share of the cost of a frame is the same
  /// whether there are two rates or a thousand.
  private var paced: [Rational: (pacing: FramePacing, tally: RateTally)] = [:]
  private var last: (streamID: UInt64, sequence: UInt64, instant: MonotonicInstant)?
  /// Nanoseconds from frame to frame, smoothed. 0 when unknown.
  private var interval: UInt64 = 0

  /// Takes the rates that readers ask for now: begins the new ones and forgets those that no reader asks for any more.
  mutating func set(_ rates: Set<Rational>) {
    paced = paced.filter { rates.contains($0.key) }
    for rate in rates where paced[rate] == nil { paced[rate] = (FramePacing(rate: rate), RateTally()) }
  }

  /// Decides for each rate whether the next frame is due. Costs an allocation only when there are rates.
  ///
  /// - Returns: the tally of each rate, up to and including `frame`.
  mutating func next(_ frame: Frame) -> [Rational: RateTally] {
    let instant = frame.time.monotonic
    if let last, last.streamID == frame.streamID, last.sequence < frame.sequence, last.instant < instant {
      let step = instant.nanoseconds(since: last.instant) / (frame.sequence - last.sequence)
      interval = interval == 0 ? step : (7 * interval + step) / 8
    }
    last = (frame.streamID, frame.sequence, instant)
    guard !paced.isEmpty else { return [:] }
    for index in paced.values.indices {
      let isDue = paced.values[index].pacing.keeps(instant, interval: interval)
      paced.values[index].tally.take(isDue: isDue)
    }
    return paced.mapValues(\.tally)
  }
}
