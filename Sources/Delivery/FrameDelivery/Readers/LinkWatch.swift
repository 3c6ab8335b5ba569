internal import CaptureCore
internal import SystemClocks

/// Measures a reader's link for the reader's ``LinkAdaptation``. A value; callers pass the time in.
struct LinkWatch: Sendable {
  private var adaptation: LinkAdaptation
  /// Nanoseconds between frames as they come to the reader, smoothed. 0 when unknown.
  private var period: UInt64 = 0
  /// When the newest frame for the reader was captured.
  private var newest: MonotonicInstant?
  /// When the frame that is on its way was handed over. Nil when no frame is on its way.
  private var handedOver: MonotonicInstant?

  init(_ adaptation: LinkAdaptation) { self.adaptation = adaptation }

  var reduction: Reduction { adaptation.reduction }

  /// Takes note that a frame came for the reader.
  ///
  /// - Parameter instant: when the frame was captured.
  mutating func came(captured instant: MonotonicInstant) {
    defer { newest = instant }
    guard let newest, newest < instant else { return }
    let interval = instant.nanoseconds(since: newest)
    period = period == 0 ? interval : (3 * period + interval) / 4
  }

  /// Takes note that the reader was handed a frame.
  mutating func handOver(now: MonotonicInstant) { handedOver = now }

  /// Takes note that the reader could be handed the next frame. Only the first call after a frame counts.
  ///
  /// - Returns: the reduction for the reader from now on. Nil when the reduction has not changed.
  mutating func isFree(now: MonotonicInstant) -> Reduction? {
    guard let since = handedOver else { return nil }
    handedOver = nil
    guard adaptation.sent(busy: now.nanoseconds(since: since), period: period, now: now) else { return nil }
    period = 0
    return adaptation.reduction
  }
}
