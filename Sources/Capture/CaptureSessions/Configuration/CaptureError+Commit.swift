internal import CaptureCore

extension CaptureError {
  /// The same error, for a device that was present at the commit: a device that is unknown now was disconnected since
  /// then, so `deviceNotFound` becomes `deviceDisconnected`.
  var sinceCommit: CaptureError {
    guard reason == .deviceNotFound else { return self }
    return CaptureError(.deviceDisconnected, message, metadata: metadata, field: field)
  }
}
