internal import FirstlightAPI
internal import PhotoCapture

extension CaptureReadiness {
  var proto: Firstlight_V1_CaptureReadiness {
    switch self {
    case .sessionNotRunning: .sessionNotRunning
    case .ready: .ready
    case .notReadyMomentarily: .notReadyMomentarily
    case .notReadyWaitingForCapture: .notReadyWaitingForCapture
    case .notReadyWaitingForProcessing: .notReadyWaitingForProcessing
    }
  }

  /// How a client should show its shutter button.
  var hint: Firstlight_V1_CaptureReadinessHint {
    switch self {
    case .ready: .enable
    case .notReadyMomentarily: .disableUnchanged
    case .sessionNotRunning, .notReadyWaitingForCapture: .disableDimmed
    case .notReadyWaitingForProcessing: .disableSpinner
    }
  }
}
