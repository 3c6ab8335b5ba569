internal import CaptureCore

/// What all pictures of a movie have in common: the camera that captured them and, from the first one on, their form. A
/// value.
struct MovieSubject: Sendable {
  /// As ``CapturedFrame/device``.
  let device: String
  /// Nil before the first picture.
  private var layout: FrameLayout?

  /// What a movie shows that has no picture yet.
  init(of device: String) { self.device = device }

  /// What a movie shows that begins with this frame.
  init(_ first: CapturedFrame) { (device, layout) = (first.device, first.frame.layout) }

  /// Why a frame cannot follow the ones before in the same movie. Nil when it can.
  func obstacle(for frame: CapturedFrame) -> CaptureError? {
    if frame.device != device { return .otherCamera }
    guard let layout, !frame.frame.layout.continues(layout) else { return nil }
    return .movieInterrupted(by: "the format changed")
  }

  /// As ``obstacle(for:)``, and the first frame says which form the pictures have.
  mutating func obstacle(toTaking frame: CapturedFrame) -> CaptureError? {
    let obstacle = obstacle(for: frame)
    if layout == nil { layout = frame.frame.layout }
    return obstacle
  }
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
