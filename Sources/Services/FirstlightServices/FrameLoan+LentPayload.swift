public import CaptureCore
public import GRPCTransport

/// Frame memory goes to the socket as it is: the buffer never changes, and lives until gRPC has let go of it. It counts as
/// lent for so long, because a reader may take minutes.
extension FrameLoan: LentPayload {
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try buffer.withUnsafeBytes(body)
  }
}
