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
