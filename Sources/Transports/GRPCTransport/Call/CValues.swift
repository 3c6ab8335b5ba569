internal import CGRPC
internal import RPCCore
internal import SystemClocks

// This file converts values of the C library into values of Swift, and bytes of Swift into values of the C library.

extension String {
  /// Copies the bytes as text. Sequences that are not UTF-8 become replacement characters.
  init(_ bytes: cgrpc_bytes) {
    self = String(decoding: UnsafeRawBufferPointer(start: bytes.base, count: bytes.count), as: UTF8.self)
  }
}

extension [UInt8] {
  /// Calls `body` with the array's bytes as a C value. The C value is valid until `body` returns.
  func withCBytes<R>(_ body: (cgrpc_bytes) -> R) -> R {
    withUnsafeBytes { body(cgrpc_bytes(base: $0.baseAddress, count: $0.count)) }
  }
}

extension CallContext {
  /// Copies the facts of a C call.
  init(_ call: OpaquePointer, method: MethodName) {
    let deadline = cgrpc_call_deadline(call)
    let (peer, metadata) = (String(cgrpc_call_peer(call)), Metadata(call))
    let client = PeerCredentials(call).map(Principal.process)
    self.init(
      method: method, peer: peer,
      principal: client ?? Principal(at: peer) { !metadata.values(forKey: $0).isEmpty }, metadata: metadata,
      deadline: deadline == .max ? nil : MonotonicInstant(nanoseconds: deadline),
      arrival: MonotonicInstant(nanoseconds: cgrpc_call_arrival(call)))
  }
}

extension PeerCredentials {
  /// The process of a C call. Nil unless the client is connected over a Unix socket.
  fileprivate init?(_ call: OpaquePointer) {
    var credentials = cgrpc_peer_credentials()
    guard cgrpc_call_peer_credentials(call, &credentials) else { return nil }
    self.init(processID: credentials.pid, userID: credentials.uid, groupID: credentials.gid)
  }
}

extension Metadata {
  /// Copies the metadata that the client sent with a C call.
  fileprivate init(_ call: OpaquePointer) {
    self.init()
    withUnsafeMutablePointer(to: &self) { cgrpc_call_visit_metadata(call, $0, addMetadataEntry) }
  }

  /// Adds an entry as bytes when the key ends in `-bin`, else as text.
  fileprivate mutating func add(key: cgrpc_bytes, value: cgrpc_bytes) {
    let name = String(key)
    if name.hasSuffix("-bin") {
      add(binary: Array(UnsafeRawBufferPointer(start: value.base, count: value.count)), forKey: name)
    } else {
      add(String(value), forKey: name)
    }
  }
}

/// Adds one entry to a ``Metadata``. `context` points to this metadata.
private func addMetadataEntry(context: UnsafeMutableRawPointer?, key: cgrpc_bytes, value: cgrpc_bytes) {
  context!.assumingMemoryBound(to: Metadata.self).pointee.add(key: key, value: value)
}
