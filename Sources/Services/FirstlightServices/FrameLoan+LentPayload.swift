public import CaptureCore
public import RPCCore

/// Lets transports send the memory of a frame without a copy. The transport retains the loan until it has sent the
/// bytes, and the buffer lives and stays unchanged until then. The buffer counts as lent all that time, because a slow
/// reader may need minutes for one message.
extension FrameLoan: LentPayload {
  /// Calls `body` with the bytes of the lent buffer. The pointer is valid for as long as the loan lives.
  ///
  /// - Throws: the error that `body` throws.
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try buffer.withUnsafeBytes(body)
  }
}
