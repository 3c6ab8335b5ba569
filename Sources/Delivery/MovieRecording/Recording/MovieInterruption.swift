internal import CaptureCore

/// Why a recording ends that no client has stopped.
extension CaptureError {
  static func movieInterrupted(by cause: String) -> CaptureError {
    CaptureError(.operationInterrupted, "The recording ended: \(cause).", metadata: ["cause": cause])
  }

  static func movieInterrupted(by status: SessionStatus) -> CaptureError {
    guard let interruption = status.interruption else { return movieInterrupted(by: "its camera is \(status.state)") }
    var error = movieInterrupted(by: "its camera is \(status.state), \(interruption.text)")
    error.metadata["interruption"] = interruption.name
    return error
  }
}
