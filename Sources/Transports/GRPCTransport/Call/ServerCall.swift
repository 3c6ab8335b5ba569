internal import CGRPC
internal import RPCCore
internal import Synchronization

/// One call of a client. gRPC's callbacks use this object on gRPC's threads, and the handler uses the object in its own
/// task.
final class ServerCall: IncomingCall, @unchecked Sendable {
  // Unchecked because of the pointer. The C functions are thread-safe as long as the rules of the state machine are
  // kept.
  private let call: OpaquePointer
  private typealias Reader = CheckedContinuation<(any ReceivedBytes)?, any Error>
  /// The completion of a write, in a structure. `Mutex` and the state machine are generic code, which would otherwise
  /// allocate a wrapper around the closure each time the closure is passed to them.
  private struct Writer {
    let completion: WriteCompletion
  }
  /// The state that gRPC's callbacks and the handler's task share.
  private struct State {
    var machine = CallStateMachine<Reader, Writer, ReceivedMessage>()
    var ending: Ending?
    var cancellationWaiter: CheckedContinuation<Void, Never>?
    var isHandled = false
  }
  /// The status and the metadata of a finish that has to wait for a write.
  private struct Ending: Sendable {
    var status: CallStatus
    var trailingMetadata: Metadata
  }
  private let state = Mutex(State())

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

  // MARK: For the executor and the handler

  func read() async throws -> (any ReceivedBytes)? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { reader in
        switch state.withLock({ $0.machine.read(reader) }) {
        case .startRead: cgrpc_call_read(call)
        case .wait: break
        case .deliver(let message): reader.resume(returning: message)
        case .end: reader.resume(returning: nil)
        case .fail(let failure): reader.resume(throwing: failure.error)
        }
        // The task may have been cancelled before the state machine had the reader. `onCancel` then found no reader to
        // resume, so the reader is resumed here.
        if Task.isCancelled { abandonRead() }
      }
    } onCancel: {
      abandonRead()
    }
  }

  func write(_ message: LentMessage) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { writer in
        write(message) { writer.resume(with: $0) }
        if Task.isCancelled { abandonWrite() }
      }
    } onCancel: {
      abandonWrite()
    }
  }

  func write(_ message: LentMessage, completion: @escaping WriteCompletion) {
    switch state.withLock({ $0.machine.write(Writer(completion: completion)) }) {
    case .startWrite: message.withBuffer { cgrpc_call_write(call, $0) }
    case .fail(let failure): completion(.failure(failure.error))
    }
  }

  func abandonWrite() {
    state.withLock { $0.machine.abandonWrite() }?.completion(.failure(CancellationError()))
  }

  func finish(_ status: CallStatus, trailingMetadata: Metadata) {
    let ending = Ending(status: status, trailingMetadata: trailingMetadata)
    let action = state.withLock { state in
      let action = state.machine.finish()
      if case .cancelCall = action { state.ending = ending }
      return action
    }
    switch action {
    case .sendFinish: send(ending)
    case .cancelCall: cgrpc_call_cancel(call)
    case .none: break
    }
  }

  var isCancelled: Bool { state.withLock { $0.machine.isCancelled } }

  func waitForCancellation() async {
    await withCheckedContinuation { waiter in
      let isOver = state.withLock { state in
        if state.machine.isCancelled || state.isHandled { return true }
        state.cancellationWaiter = waiter
        return false
      }
      if isOver { waiter.resume() }
    }
  }

  func handled() {
    let waiter = state.withLock { state in
      state.isHandled = true
      return state.cancellationWaiter.take()
    }
    waiter?.resume()
  }

  private func abandonRead() {
    state.withLock { $0.machine.abandonRead() }?.resume(throwing: CancellationError())
  }

  private func send(_ ending: Ending) {
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

  func readDone(_ message: ReceivedMessage?, broken: Bool) {
    guard let (reader, outcome) = state.withLock({ $0.machine.readDone(message, broken: broken) }) else { return }
    switch outcome {
    case .message(let message): reader.resume(returning: message)
    case .end: reader.resume(returning: nil)
    case .cancelled: reader.resume(throwing: CancellationError())
    }
  }

  func writeDone(ok: Bool) {
    let (writer, ending) = state.withLock { state in
      let (writer, sendsFinish) = state.machine.writeDone()
      return (writer, sendsFinish ? state.ending.take() : nil)
    }
    writer?.completion(ok ? .success(()) : .failure(CancellationError()))
    if let ending { send(ending) }
  }

  func cancelled() {
    let waiter = state.withLock { state in
      state.machine.cancel()
      return state.cancellationWaiter.take()
    }
    waiter?.resume()
  }

  func done() { onDone() }
}
