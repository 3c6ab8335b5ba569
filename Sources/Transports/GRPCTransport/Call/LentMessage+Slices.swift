internal import CGRPC
internal import RPCCore

extension LentMessage {
  /// Calls `body` with the message as slices: the header, which gRPC copies, and the lent payload. `body` must pass the
  /// slices to exactly one C function that takes them over. The payload is retained once for this function, and gRPC
  /// releases the payload through ``releaseLentPayload(owner:)``.
  func withSlices(_ body: (UnsafeBufferPointer<cgrpc_slice>) -> Void) {
    header.withUnsafeBytes { header in
      let copied = cgrpc_slice(base: header.baseAddress, count: header.count, release: nil, owner: nil)
      let lent = payload.withUnsafeBytes { bytes in
        cgrpc_slice(
          base: bytes.baseAddress, count: bytes.count, release: releaseLentPayload,
          owner: Unmanaged.passRetained(payload as AnyObject).toOpaque())
      }
      withUnsafeTemporaryAllocation(of: cgrpc_slice.self, capacity: 2) { slices in
        slices.initializeElement(at: 0, to: copied)
        slices.initializeElement(at: 1, to: lent)
        // An empty header is left out.
        body(UnsafeBufferPointer(rebasing: slices[(header.isEmpty ? 1 : 0)...]))
      }
    }
  }

  /// Calls `body` with the `cgrpc_buffer` that all writes of this message share, or with nil when memory is short.
  func withBuffer(_ body: (OpaquePointer?) -> Void) {
    withForm(SharedBuffer.self) { body(OpaquePointer($0)) }
  }
}

/// The form in which gRPC writes a message, which is a `cgrpc_buffer`.
private enum SharedBuffer: MessageForm {
  static func make(of message: LentMessage) -> UnsafeMutableRawPointer? {
    var buffer: OpaquePointer?
    message.withSlices { buffer = cgrpc_buffer_create($0.baseAddress, $0.count) }
    return UnsafeMutableRawPointer(buffer)
  }

  static func free(_ form: UnsafeMutableRawPointer) { cgrpc_buffer_destroy(OpaquePointer(form)) }
}
