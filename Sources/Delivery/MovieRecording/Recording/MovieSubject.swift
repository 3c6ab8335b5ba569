internal import CaptureCore

/// What all pictures of a movie have in common: the camera that captured them, and their form. A value.
struct MovieSubject: Hashable, Sendable {
  /// As ``CapturedFrame/device``.
  let device: String
  let layout: FrameLayout

  /// Why pictures of this subject cannot follow those of a former one in the same movie. Nil when they can.
  func obstacle(after former: MovieSubject) -> CaptureError? {
    if device != former.device { return .otherCamera }
    return layout.continues(former.layout) ? nil : .movieInterrupted(by: "the format changed")
  }
}

extension CapturedFrame {
  /// What a movie of the frame shows.
  var subject: MovieSubject { MovieSubject(device: device, layout: frame.layout) }
}

extension CaptureError {
  /// The end of a movie whose output shows another camera from now on.
  static var otherCamera: CaptureError { .movieInterrupted(by: "the output got another camera") }
}

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
