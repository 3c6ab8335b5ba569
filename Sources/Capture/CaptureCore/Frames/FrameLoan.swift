/// A loan of a buffer for a user that may keep the buffer for long, such as a message on its way to a slow reader or a
/// photo that waits. The pool counts a buffer as lent once, however many loans the buffer has. The loan ends with the
/// last reference to this object.
public final class FrameLoan: Sendable {
  /// The buffer that is lent.
  public let buffer: FrameBuffer

  /// Begins a loan of `buffer`.
  public init(_ buffer: FrameBuffer) {
    self.buffer = buffer
    buffer.beginLoan()
  }

  deinit { buffer.endLoan() }
}
