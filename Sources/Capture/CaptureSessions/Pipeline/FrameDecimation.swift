internal import CaptureCore
internal import SystemClocks

/// Decides which frames of a stream outputs get when they want fewer than the camera delivers. A value.
struct FrameDecimation: Hashable, Sendable {
  /// The stream that this decimation applies to. It ends with the stream.
  let streamID: UInt64
  private let interval: UInt64
  private var pacing: FramePacing

  /// - Parameters:
  ///   - rate: frames per second that outputs get, above 0.
  ///   - deviceRate: frames per second that the driver confirmed; zero when unknown.
  init(streamID: UInt64, rate: Rational, deviceRate: Rational) {
    self.streamID = streamID
    interval = deviceRate.value > 0 ? UInt64(1_000_000_000 / deviceRate.value) : 0
    pacing = FramePacing(rate: rate)
  }

  /// Decides whether outputs get the next frame.
  ///
  /// - Parameter instant: the driver's time stamp of the frame.
  mutating func keeps(_ instant: MonotonicInstant) -> Bool { pacing.keeps(instant, interval: interval) }
}
