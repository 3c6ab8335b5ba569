internal import CaptureCore
internal import SystemClocks

/// How often an input brings frames, and how long after their capture they come. A value.
struct InputTiming: Hashable, Sendable {
  /// The number of frames that the estimates follow from. A camera that changes its rate, because it is dark, is
  /// followed after three frames.
  private static let window = 5

  /// When the newest frame was captured; nil before the first.
  private(set) var newest: MonotonicInstant?
  /// When the newest frame came.
  private(set) var arrived = MonotonicInstant.epoch
  private var streamID: UInt64 = 0
  private var periods: [UInt64] = []
  private var delays: [UInt64] = []

  /// Notes the next frame.
  ///
  /// - Returns: false for a frame that was not captured after the one before, which cannot be used.
  mutating func note(_ frame: Frame, at now: MonotonicInstant) -> Bool {
    let captured = frame.time.monotonic
    if let newest {
      guard captured > newest else { return false }
      if frame.streamID == streamID {
        periods = periods.suffix(Self.window - 1) + [captured.nanoseconds(since: newest)]
      } else {
        (periods, delays) = ([], [])
      }
    }
    delays = delays.suffix(Self.window - 1) + [now.nanoseconds(since: captured)]
    (newest, arrived, streamID) = (captured, now, frame.streamID)
    return true
  }

  /// The time from one frame to the next; nil while there are no two frames of the stream. It is the median of the
  /// latest, so that a lost frame does not change it.
  var period: UInt64? { periods.isEmpty ? nil : periods.sorted()[periods.count / 2] }

  /// The instant until which to wait for a frame that was captured nearer to `instant` than the newest frame; nil when
  /// there will be none, or when the input brings no frames at present.
  func awaits(_ instant: MonotonicInstant, at now: MonotonicInstant) -> MonotonicInstant? {
    guard let newest, let period, newest < instant else { return nil }
    let behind = instant.nanoseconds(since: newest)
    // The next frame is further away than the newest one.
    if behind <= period / 2 { return nil }
    // The camera is gone, or its pictures are. To wait for it each time would delay every picture.
    if now.nanoseconds(since: arrived) > 3 * period { return nil }
    let nearest = newest + (behind + period / 2) / period * period
    return nearest + (delays.max() ?? 0) + period / 4
  }
}
