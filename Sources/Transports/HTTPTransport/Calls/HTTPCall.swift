internal import RPCCore
internal import Synchronization

/// One RPC over HTTP. ``RequestMessages`` brings the client's messages, and a ``CallOutput`` sends the answers.
final class HTTPCall: IncomingCall, Sendable {
  private typealias Reader = CheckedContinuation<(any ReceivedBytes)?, any Error>
  /// The completion of a write, in a structure. `Mutex` and the state machine are generic code, which would otherwise
  /// allocate a wrapper around the closure each time the closure is passed to them.
  private struct Writer {
    let completion: WriteCompletion
  }
  private struct Ending: Sendable {
    var status: CallStatus
    var trailingMetadata: Metadata
  }
  private struct State {
    var machine = CallStateMachine<Reader, Writer, RequestBytes>()
    var ending: Ending?
    var cancellationWaiter: CheckedContinuation<Void, Never>?
    var isHandled = false
  }
  private let state = Mutex(State())

  let context: CallContext
  let maximumRequestBytes: Int
  /// One element for each message that the handler waits for. The state machine allows one read at a time.
  let reads: AsyncStream<Void>
  private let wantsMessage: AsyncStream<Void>.Continuation
  private let output: any CallOutput

  init(context: CallContext, maximumRequestBytes: Int, output: any CallOutput) {
    self.context = context
    self.maximumRequestBytes = maximumRequestBytes
    self.output = output
    (reads, wantsMessage) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  // MARK: For the executor and the handler

  func read() async throws -> (any ReceivedBytes)? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { reader in
        switch state.withLock({ $0.machine.read(reader) }) {
        case .startRead: wantsMessage.yield()
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
    case .startWrite: output.write(message) { [self] in writeDone($0) }
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
    case .sendFinish: output.finish(status, trailingMetadata)
    case .cancelCall: output.abort()
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

  // MARK: For the connection

  /// Gives the handler a message, the end of the messages, or the error of a message that cannot be read.
  func readDone(_ result: Result<RequestBytes?, any Error>) {
    let message = try? result.get()
    guard let (reader, outcome) = state.withLock({ $0.machine.readDone(message, broken: false) }) else { return }
    switch (outcome, result) {
    case (.end, .failure(let error)): reader.resume(throwing: error)
    case (.message(let message), _): reader.resume(returning: message)
    case (.end, .success): reader.resume(returning: nil)
    case (.cancelled, _): reader.resume(throwing: CancellationError())
    }
  }

  private func writeDone(_ result: Result<Void, any Error>) {
    let (writer, ending) = state.withLock { state in
      let (writer, sendsFinish) = state.machine.writeDone()
      return (writer, sendsFinish ? state.ending.take() : nil)
    }
    writer?.completion(result)
    if let ending { output.finish(ending.status, ending.trailingMetadata) }
  }

  /// Cancels the call: the client is gone, or its deadline has passed.
  func cancel() {
    let (waiter, reader) = state.withLock { state in
      state.machine.cancel()
      return (state.cancellationWaiter.take(), state.machine.abandonRead())
    }
    reader?.resume(throwing: CancellationError())
    waiter?.resume()
  }
}
