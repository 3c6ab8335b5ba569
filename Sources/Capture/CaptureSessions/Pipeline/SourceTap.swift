internal import CaptureCore

/// Passes the frames of one source to the fan-out, and reports to the session when the source stalls or ends.
final class SourceTap: FrameSink {
  private let frames: FrameFanOut
  private let onOddity: @Sendable (SourceOddity) -> Void
  private let onStall: @Sendable (CaptureError) -> Void
  private let onEnd: @Sendable (CaptureError) -> Void

  init(
    frames: FrameFanOut, onOddity: @escaping @Sendable (SourceOddity) -> Void = { _ in },
    onStall: @escaping @Sendable (CaptureError) -> Void,
    onEnd: @escaping @Sendable (CaptureError) -> Void
  ) {
    self.frames = frames
    self.onOddity = onOddity
    self.onStall = onStall
    self.onEnd = onEnd
  }

  func receive(_ frame: Frame) { frames.publish(frame) }

  func receive(_ frame: Frame, ofRevision revision: UInt64) { frames.publish(frame, of: revision) }

  func pictureWasDamaged() { frames.noteDamage() }

  func sourceIsOdd(_ oddity: SourceOddity) { onOddity(oddity) }

  func sourceDidStall(_ error: CaptureError) { onStall(error) }

  func sourceDidEnd(_ error: CaptureError) { onEnd(error) }
}
