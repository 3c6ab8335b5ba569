internal import CaptureCore

/// The rates that readers of an output named, each with its own grid: readers of the same rate get the same frames, so that
/// these are encoded once. A value.
struct FrameRates: Sendable {
  /// By rate, so that a frame costs a thousand readers of a thousand rates no more for each than two of two.
  private var paced: [Rational: (pacing: FramePacing, tally: RateTally)] = [:]
  private var last: (streamID: UInt64, sequence: UInt64, instant: UInt64)?
  /// Nanoseconds from frame to frame, smoothed.
  private var interval: UInt64 = 0

  /// Begins and forgets rates.
  mutating func set(_ rates: Set<Rational>) {
    paced = paced.filter { rates.contains($0.key) }
    for rate in rates where paced[rate] == nil { paced[rate] = (FramePacing(rate: rate), RateTally()) }
  }

  /// Decides about the next frame. Costs an allocation only when there are rates.
  mutating func next(_ frame: Frame) -> [Rational: RateTally] {
    let instant = frame.time.monotonicNanoseconds
    if let last, last.streamID == frame.streamID, last.sequence < frame.sequence, last.instant < instant {
      let step = (instant - last.instant) / (frame.sequence - last.sequence)
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
