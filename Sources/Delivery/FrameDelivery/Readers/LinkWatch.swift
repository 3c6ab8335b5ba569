internal import CaptureCore

/// Measures how a reader's link does, for its ``LinkAdaptation``. A value; times are nanoseconds of one clock.
struct LinkWatch: Sendable {
  private var adaptation: LinkAdaptation
  /// Between frames as they come to the reader, smoothed. Zero when unknown.
  private var period: UInt64 = 0
  private var newest: UInt64?
  /// When the frame on its way was handed over.
  private var handedOver: UInt64?

  init(_ adaptation: LinkAdaptation) { self.adaptation = adaptation }

  var reduction: Reduction { adaptation.reduction }

  /// Takes that a frame came for the reader.
  mutating func came(captured instant: UInt64) {
    defer { newest = instant }
    guard let newest, newest < instant else { return }
    period = period == 0 ? instant - newest : (3 * period + instant - newest) / 4
  }

  /// Takes that the reader was handed a frame.
  mutating func handOver(now: UInt64) { handedOver = now }

  /// Takes that the reader could be handed the next frame. Only the first call after a frame counts.
  ///
  /// - Returns: what the reader is to be given from now on, when that changed.
  mutating func isFree(now: UInt64) -> Reduction? {
    guard let since = handedOver else { return nil }
    handedOver = nil
    guard adaptation.sent(busy: now - min(since, now), period: period, now: now) else { return nil }
    period = 0
    return adaptation.reduction
  }
}
