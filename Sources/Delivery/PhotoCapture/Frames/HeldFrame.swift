internal import CaptureCore

/// A frame whose memory is held for a photo for as long as this value or a copy of it exists.
struct HeldFrame: Sendable {
  /// The frame.
  let frame: Frame
  private let loan: FrameLoan

  /// Holds `frame`.
  init(_ frame: Frame) {
    self.frame = frame
    loan = FrameLoan(frame.buffer)
  }
}
