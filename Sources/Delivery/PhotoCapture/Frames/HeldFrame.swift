internal import CaptureCore

/// A frame, held.
struct HeldFrame: Sendable {
  let frame: Frame
  private let loan: FrameLoan

  init(_ frame: Frame) {
    self.frame = frame
    loan = FrameLoan(frame.buffer)
  }
}
