internal import CGRPC
internal import RPCCore

/// A message from the client, whose bytes stay in gRPC's memory.
final class ReceivedMessage: ReceivedBytes, @unchecked Sendable {
  // Unchecked because of the pointer. Nothing writes to a message after gRPC has received it.
  private let message: OpaquePointer

  /// Takes over the message, and destroys it with this object.
  init(_ message: OpaquePointer) { self.message = message }

  deinit { cgrpc_message_destroy(message) }

  var count: Int { cgrpc_message_bytes(message).count }

  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    let bytes = cgrpc_message_bytes(message)
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(start: bytes.base, count: bytes.count))
  }
}
