internal import CaptureCore
internal import SystemClocks

extension CapturedFrame {
  /// When the frame was captured, by the clock of the drivers' time stamps.
  var time: MonotonicInstant { frame.time.monotonic }
}
