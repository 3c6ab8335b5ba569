internal import CGRPC
internal import Synchronization

/// What gRPC writes: made of a message's pieces by the first write, then shared by all writes of that message.
final class PreparedMessage: Sendable {
  /// The address of a `cgrpc_buffer`; 0 before the first write.
  private let buffer = Mutex<UInt>(0)

  deinit {
    if let buffer = OpaquePointer(bitPattern: buffer.withLock { $0 }) { cgrpc_buffer_destroy(buffer) }
  }

  /// - Parameter body: gets nil when out of memory.
  func withBuffer(of message: LentMessage, _ body: (OpaquePointer?) -> Void) {
    let made = buffer.withLock { buffer in
      if buffer == 0 {
        message.withSlices { buffer = UInt(bitPattern: cgrpc_buffer_create($0.baseAddress, $0.count)) }
      }
      return buffer
    }
    body(OpaquePointer(bitPattern: made))
  }
}
