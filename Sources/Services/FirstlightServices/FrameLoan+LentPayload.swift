public import CaptureCore
public import RPCCore

/// Transports send frame memory as it is. The buffer never changes and lives until the transport has let go of it. It
/// counts as lent for so long, because a reader may take minutes.
extension FrameLoan: LentPayload {
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try buffer.withUnsafeBytes(body)
  }
}
