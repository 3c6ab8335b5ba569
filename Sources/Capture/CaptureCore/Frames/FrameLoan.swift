/// Holds a buffer for somebody who may take long to let go of it: a message on its way to a slow reader, a photo that waits.
/// However many loans a buffer has, it counts once.
public final class FrameLoan: Sendable {
  public let buffer: FrameBuffer

  public init(_ buffer: FrameBuffer) {
    self.buffer = buffer
    buffer.beginLoan()
  }

  deinit { buffer.endLoan() }
}
