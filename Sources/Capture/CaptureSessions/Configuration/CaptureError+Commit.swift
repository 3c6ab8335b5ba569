internal import CaptureCore

extension CaptureError {
  /// The same error of a device that was there at the commit: when it is not known now, it went away since.
  var sinceCommit: CaptureError {
    guard reason == .deviceNotFound else { return self }
    return CaptureError(.deviceDisconnected, message, metadata: metadata, field: field)
  }
}
