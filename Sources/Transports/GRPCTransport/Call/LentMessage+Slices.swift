internal import CGRPC
internal import RPCCore

extension LentMessage {
  /// Calls `body` with the message as slices for one buffer or finish. The payload is retained once more, and gRPC
  /// releases it by ``releaseLentPayload(owner:)``.
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
        // gRPC gets no slice for a header that is empty.
        body(UnsafeBufferPointer(rebasing: slices[(header.isEmpty ? 1 : 0)...]))
      }
    }
  }

  /// Calls `body` with the `cgrpc_buffer` that all writes of this message share, or nil when there is no memory left.
  func withBuffer(_ body: (OpaquePointer?) -> Void) {
    withForm(SharedBuffer.self) { body(OpaquePointer($0)) }
  }
}

/// The form in which gRPC writes a message: a `cgrpc_buffer`.
private enum SharedBuffer: MessageForm {
  static func make(of message: LentMessage) -> UnsafeMutableRawPointer? {
    var buffer: OpaquePointer?
    message.withSlices { buffer = cgrpc_buffer_create($0.baseAddress, $0.count) }
    return UnsafeMutableRawPointer(buffer)
  }

  static func free(_ form: UnsafeMutableRawPointer) { cgrpc_buffer_destroy(OpaquePointer(form)) }
}
