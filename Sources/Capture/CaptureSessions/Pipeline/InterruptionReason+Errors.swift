internal import CaptureCore

extension InterruptionReason {
  /// Whether nothing may run, and somebody will say when that is over.
  var isRest: Bool { self == .systemPressure || self == .systemSuspend }

  /// Which interruption an error means; nil for errors that waiting does not heal.
  init?(_ error: CaptureError) {
    switch error.reason {
    // A camera that comes back belongs to nobody for a moment, until udev gives it to its group.
    case .deviceDisconnected, .deviceNotFound, .deviceAccessDenied: self = .deviceDisconnected
    case .deviceInUse: self = .deviceInUse
    case .systemPressure: self = .systemPressure
    case .deviceNotResponding: self = .deviceStalled
    case .systemSuspend: self = .systemSuspend
    default: return nil
    }
  }

  /// Which interruption an error means when a camera that ran before is started again; nil for errors that waiting does not
  /// heal.
  ///
  /// A driver that fails then, and a bus that has no bandwidth for the moment, may well work again later: the camera was just
  /// plugged in, reset or woken. The session goes on trying as it does with a camera that brings no frames, with growing pauses.
  init?(ofRetry error: CaptureError) {
    switch error.reason {
    case .deviceFailed, .bandwidthExceeded: self = .deviceStalled
    default: self.init(error)
    }
  }
}
