internal import CGRPC
internal import RPCCore

/// The bytes of a message from the client, in gRPC's memory.
final class ReceivedMessage: ReceivedBytes, @unchecked Sendable {
  // Unchecked because of the pointer: nothing writes to a message once it is received.
  private let message: OpaquePointer

  /// Takes over the message.
  init(_ message: OpaquePointer) { self.message = message }

  deinit { cgrpc_message_destroy(message) }

  var count: Int { cgrpc_message_bytes(message).count }

  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    let bytes = cgrpc_message_bytes(message)
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(start: bytes.base, count: bytes.count))
  }
}
