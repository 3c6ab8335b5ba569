internal import CGRPC
internal import RPCCore

/// One call of a client. gRPC's callbacks use this object on gRPC's threads, and the handler uses the object in its own
/// task.
final class ServerCall: TransportCall, @unchecked Sendable {
  // Unchecked because of the pointer. The C functions are thread-safe as long as the rules of the state machine are
  // kept.
  private let call: OpaquePointer
  let progress = CallProgress()
  let context: CallContext
  let maximumRequestBytes: Int
  private let onDone: @Sendable () -> Void

  /// Takes over the reference to `call` that the C library gave to ``callArrived``.
  ///
  /// - Parameters:
  ///   - call: the C call.
  ///   - limits: the limits of a request in bytes.
  ///   - onDone: called when gRPC is done with the call.
  init(_ call: OpaquePointer, limits: RequestLimits, onDone: @escaping @Sendable () -> Void) {
    self.call = call
    self.onDone = onDone
    let method = MethodName(path: String(cgrpc_call_method(call)))
    let isLarge = limits.areLarge(of: method)
    maximumRequestBytes = isLarge ? limits.large : limits.small
    // The C library must know this as early as possible, because the client may be sending a large request already.
    if isLarge { cgrpc_call_expect_large_messages(call) }
    context = CallContext(call, method: method)
  }

  deinit { cgrpc_call_release(call) }

  func startRead() { cgrpc_call_read(call) }

  func startWrite(_ message: LentMessage) { message.withBuffer { cgrpc_call_write(call, $0) } }

  func cut() { cgrpc_call_cancel(call) }

  func send(_ ending: CallEnding) {
    for entry in ending.trailingMetadata.entries { addTrailing(entry) }
    ending.status.send(to: call)
  }

  private func addTrailing(_ entry: Metadata.Entry) {
    let value =
      switch entry.value {
      case .text(let text): Array(text.utf8)
      case .binary(let bytes): bytes
      }
    Array(entry.key.utf8).withCBytes { key in
      value.withCBytes { value in
        _ = cgrpc_call_add_trailing_metadata(call, key, value)
      }
    }
  }

  // MARK: For gRPC's callbacks, which only change the state and wake a task

  func readDone(_ message: ReceivedMessage?, _ result: cgrpc_read) {
    switch result {
    case CGRPC_READ_FAILED: progress.readDone(.failure(CancellationError()))
    case CGRPC_READ_TOO_LARGE: progress.readDone(.failure(RPCError.requestTooLarge(limit: maximumRequestBytes)))
    default: progress.readDone(.success(message))
    }
  }

  func writeDone(ok: Bool) { writeDone(ok ? .success(()) : .failure(CancellationError())) }

  func cancelled() { progress.cancel() }

  func done() { onDone() }
}

extension CallStatus {
  /// Finishes the C call with this status. The caller must finish each call exactly once, and not while a write is
  /// under way.
  func send(to call: OpaquePointer) {
    switch self {
    case .ok(let response?):
      var status = cgrpc_status()
      response.withSlices { cgrpc_call_finish(call, &status, true, $0.baseAddress, $0.count) }
    case .ok(nil):
      var status = cgrpc_status()
      cgrpc_call_finish(call, &status, false, nil, 0)
    case .error(let error):
      Array(error.message.utf8).withCBytes { message in
        error.serializedStatus().withCBytes { details in
          var status = cgrpc_status(code: Int32(error.code.rawValue), message: message, details: details)
          cgrpc_call_finish(call, &status, false, nil, 0)
        }
      }
    }
  }
}

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
