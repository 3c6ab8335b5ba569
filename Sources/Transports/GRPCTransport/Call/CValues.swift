internal import CGRPC

// Swift values as the C shim wants them, and back.

extension String {
  /// Copies; bytes that are not UTF-8 are repaired.
  init(_ bytes: cgrpc_bytes) {
    self = String(decoding: UnsafeRawBufferPointer(start: bytes.base, count: bytes.count), as: UTF8.self)
  }
}

extension [UInt8] {
  /// Borrows the bytes to C for the length of the call.
  func withCBytes<R>(_ body: (cgrpc_bytes) -> R) -> R {
    withUnsafeBytes { body(cgrpc_bytes(base: $0.baseAddress, count: $0.count)) }
  }
}

extension LentMessage {
  /// The message as slices for one buffer or finish: the payload is retained once more, gRPC gives that up.
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
}

extension CallContext {
  init(_ call: OpaquePointer, path: String) {
    var credentials = cgrpc_peer_credentials()
    let isKnown = cgrpc_call_peer_credentials(call, &credentials)
    let deadline = cgrpc_call_deadline(call)
    self.init(
      method: MethodDescriptor(path: path) ?? MethodDescriptor(service: "", method: path),
      peer: String(cgrpc_call_peer(call)),
      peerCredentials: isKnown
        ? PeerCredentials(processID: credentials.pid, userID: credentials.uid, groupID: credentials.gid) : nil,
      metadata: Metadata(call), deadlineNanoseconds: deadline == .max ? nil : deadline,
      arrivalNanoseconds: cgrpc_call_arrival(call))
  }
}

extension Metadata {
  /// The request metadata.
  fileprivate init(_ call: OpaquePointer) {
    self.init()
    withUnsafeMutablePointer(to: &self) { cgrpc_call_visit_metadata(call, $0, addMetadataEntry) }
  }

  fileprivate mutating func add(key: cgrpc_bytes, value: cgrpc_bytes) {
    let name = String(key)
    if name.hasSuffix("-bin") {
      add(binary: Array(UnsafeRawBufferPointer(start: value.base, count: value.count)), forKey: name)
    } else {
      add(String(value), forKey: name)
    }
  }
}

/// `context` points to a ``Metadata``.
private func addMetadataEntry(context: UnsafeMutableRawPointer?, key: cgrpc_bytes, value: cgrpc_bytes) {
  context!.assumingMemoryBound(to: Metadata.self).pointee.add(key: key, value: value)
}
