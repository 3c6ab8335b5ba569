internal import CaptureCore

/// Why captures have no photo, and why requests are refused.
extension CaptureError {
  static func interrupted(by cause: String) -> CaptureError {
    CaptureError(
      .operationInterrupted, "The capture was interrupted before its photo was made: \(cause).",
      metadata: ["cause": cause])
  }

  static func interrupted(by status: SessionStatus) -> CaptureError {
    guard let interruption = status.interruption else { return interrupted(by: "\(status.state)") }
    var error = interrupted(by: "\(status.state), \(interruption.text)")
    error.metadata["interruption"] = interruption.name
    return error
  }

  static var connectionWasDisabled: CaptureError { interrupted(by: "its connection was disabled") }

  static func damaged(_ frame: Frame) -> CaptureError {
    CaptureError(
      .frameDamaged,
      "Frame \(frame.sequence) came damaged from the camera, and no intact frame is near it. Take the photo again; "
        + "if that happens often, check the camera's cable and port.",
      metadata: ["sequence": "\(frame.sequence)", "stream_id": "\(frame.streamID)"])
  }

  /// The error for a request with an id that another capture has or had.
  static func reused(_ uniqueID: String) -> CaptureError {
    CaptureError(
      .settingsIDReused,
      "Another capture has the unique_id \(uniqueID); read that capture, or choose another unique_id.",
      metadata: ["unique_id": uniqueID], field: "settings.unique_id")
  }

  static func tooManyWatchers(_ method: String) -> CaptureError {
    CaptureError(
      .tooManyRequests,
      "The photo output serves \(PhotoOutput.maxWatchers) calls of \(method) and takes no more; end one of them.",
      metadata: ["method": method, "limit": "\(PhotoOutput.maxWatchers)"])
  }
}
