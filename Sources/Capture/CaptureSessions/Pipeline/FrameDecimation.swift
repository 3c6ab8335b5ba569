internal import CaptureCore

/// Which frames of a stream outputs get when they want fewer than come. A value.
struct FrameDecimation: Hashable, Sendable {
  /// The stream it belongs to: it ends with it.
  let streamID: UInt64
  private let interval: UInt64
  private var pacing: FramePacing

  /// - Parameters:
  ///   - rate: frames per second, above 0.
  ///   - deviceRate: as the driver confirmed it; zero when unknown.
  init(streamID: UInt64, rate: Rational, deviceRate: Rational) {
    self.streamID = streamID
    interval = deviceRate.value > 0 ? UInt64(1_000_000_000 / deviceRate.value) : 0
    pacing = FramePacing(rate: rate)
  }

  /// Decides about the next frame.
  ///
  /// - Parameter instant: the driver's time stamp, nanoseconds of the monotonic clock.
  mutating func keeps(_ instant: UInt64) -> Bool { pacing.keeps(instant, interval: interval) }
}
