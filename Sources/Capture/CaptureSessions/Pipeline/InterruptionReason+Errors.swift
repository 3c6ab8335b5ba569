internal import CaptureCore

extension InterruptionReason {
  /// Whether the machine keeps the camera from running. The machine reports when the rest is over, so no retries are
  /// needed.
  var isRest: Bool { self == .systemPressure || self == .systemSuspend }

  /// Returns the interruption that an error causes; nil for an error that waiting does not heal.
  init?(_ error: CaptureError) {
    switch error.reason {
    // A camera that comes back cannot be opened for a moment, until udev gives its device node to the right group.
    case .deviceDisconnected, .deviceNotFound, .deviceAccessDenied: self = .deviceDisconnected
    case .deviceInUse: self = .deviceInUse
    case .systemPressure: self = .systemPressure
    case .deviceNotResponding, .noSignal: self = .deviceStalled
    case .systemSuspend: self = .systemSuspend
    default: return nil
    }
  }

  /// Returns the interruption that an error causes when a camera that ran before is started again; nil for an error
  /// that waiting does not heal.
  ///
  /// A driver that fails during such a start, or a bus without bandwidth at the moment, may well work again later,
  /// because the camera was just plugged in, reset or woken. A grabber whose source has changed may get the former one
  /// again, or a format that the configuration leaves open. The session goes on trying with growing pauses, as it does
  /// with a camera that brings no frames.
  init?(ofRetry error: CaptureError) {
    switch error.reason {
    case .deviceFailed, .bandwidthExceeded, .formatNotSupported: self = .deviceStalled
    default: self.init(error)
    }
  }
}
