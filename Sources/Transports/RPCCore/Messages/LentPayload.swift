/// Memory that its owner lends to the transport, so that the transport does not copy the bytes into a message.
public protocol LentPayload: AnyObject, Sendable {
  /// Calls `body` with the bytes. The bytes must neither move nor change while the object lives. The transport retains
  /// the object until the transport no longer reads the bytes.
  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
}
