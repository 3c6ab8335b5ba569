internal import CGRPC
internal import RPCCore
internal import SystemClocks

// Conversions between the values of the C shim and those of Swift.

extension String {
  /// Copies the bytes and replaces those that are not UTF-8.
  init(_ bytes: cgrpc_bytes) {
    self = String(decoding: UnsafeRawBufferPointer(start: bytes.base, count: bytes.count), as: UTF8.self)
  }
}

extension [UInt8] {
  /// Lends the bytes to C for as long as `body` runs.
  func withCBytes<R>(_ body: (cgrpc_bytes) -> R) -> R {
    withUnsafeBytes { body(cgrpc_bytes(base: $0.baseAddress, count: $0.count)) }
  }
}

extension CallContext {
  init(_ call: OpaquePointer, method: MethodName) {
    var credentials = cgrpc_peer_credentials()
    let isKnown = cgrpc_call_peer_credentials(call, &credentials)
    let deadline = cgrpc_call_deadline(call)
    self.init(
      method: method,
      peer: String(cgrpc_call_peer(call)),
      peerCredentials: isKnown
        ? PeerCredentials(processID: credentials.pid, userID: credentials.uid, groupID: credentials.gid) : nil,
      metadata: Metadata(call), deadline: deadline == .max ? nil : MonotonicInstant(nanoseconds: deadline),
      arrival: MonotonicInstant(nanoseconds: cgrpc_call_arrival(call)))
  }
}

extension Metadata {
  /// Copies the metadata that the client sent.
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
