internal import CaptureCore

/// One source's way into the fan-out. It also tells the session, once, that the source ended.
final class SourceTap: FrameSink {
  private let frames: FrameFanOut
  private let onStall: @Sendable (CaptureError) -> Void
  private let onEnd: @Sendable (CaptureError) -> Void

  init(
    frames: FrameFanOut, onStall: @escaping @Sendable (CaptureError) -> Void,
    onEnd: @escaping @Sendable (CaptureError) -> Void
  ) {
    self.frames = frames
    self.onStall = onStall
    self.onEnd = onEnd
  }

  func receive(_ frame: Frame) { frames.publish(frame) }

  func pictureWasDamaged() { frames.noteDamage() }

  func sourceDidStall(_ error: CaptureError) { onStall(error) }

  func sourceDidEnd(_ error: CaptureError) { onEnd(error) }
}
