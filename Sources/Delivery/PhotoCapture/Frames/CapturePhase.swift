internal import SystemClocks

/// When the capture of a photo began and ended.
struct CapturePhase: Hashable, Sendable {
  /// When the capture's turn came; nil before.
  var begin: MonotonicInstant?
  /// When the newest frame of the photo came; nil while no frame came after the photo's own frame was held.
  var end: MonotonicInstant?
}
