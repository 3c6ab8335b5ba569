/// Memory that is lent to the transport instead of being copied into a message.
public protocol LentPayload: AnyObject, Sendable {
  /// Calls `body` with the bytes. The pointer must stay valid and the bytes unchanged for as long as the object lives.
  /// The transport retains the object until it has let go of the memory.
  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
}
