internal import Locking

/// The ``CallStateMachine`` of one call with its lock, and the continuations that wait. Thread-safe.
///
/// It is no generic code, so that the compiler specialises the state machine and the lock here, once for all
/// transports.
package final class CallProgress: Sendable {
  private typealias Reader = CheckedContinuation<(any ReceivedBytes)?, any Error>
  /// The completion of a write, in a structure. `Locked` and the state machine are generic code, which would otherwise
  /// allocate a wrapper around the closure each time the closure is passed to them.
  private struct Writer {
    let completion: WriteCompletion
  }
  private struct State {
    var machine = CallStateMachine<Reader, Writer, any ReceivedBytes>()
    var ending: CallEnding?
    var cancellationWaiter: CheckedContinuation<Void, Never>?
    var isHandled = false
  }
  private let state = Locked(State())

  /// Makes the progress of a call whose handler has not begun.
  package init() {}

  // MARK: For the executor and the handler

  /// Waits for the client's next message.
  ///
  /// - Parameter start: asks the transport for a message.
  func read(_ start: () -> Void) async throws -> (any ReceivedBytes)? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { reader in
        switch state.withLock({ $0.machine.read(reader) }) {
        case .startRead: start()
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

  /// Begins a write. Returns false when the write is not allowed; `completion` then got the error.
  func beginWrite(_ completion: @escaping WriteCompletion) -> Bool {
    switch state.withLock({ $0.machine.write(Writer(completion: completion)) }) {
    case .startWrite: return true
    case .fail(let failure):
      completion(.failure(failure.error))
      return false
    }
  }

  func abandonWrite() {
    state.withLock { $0.machine.abandonWrite() }?.completion(.failure(CancellationError()))
  }

  /// The handler has returned. The ending is kept when it has to wait for the write that is under way.
  func finish(_ ending: CallEnding) -> CallFinishAction {
    state.withLock { state in
      let action = state.machine.finish()
      if case .cancelCall = action { state.ending = ending }
      return action
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

  // MARK: For the transport

  /// The transport has answered a read.
  ///
  /// - Parameter result: the message, nil when the client has sent its last message, or the reason for which there is
  ///   no message.
  package func readDone(_ result: Result<(any ReceivedBytes)?, any Error>) {
    let (message, failure): ((any ReceivedBytes)?, (any Error)?) =
      switch result {
      case .success(let message): (message, nil)
      case .failure(let error): (nil, error)
      }
    let done = state.withLock { $0.machine.readDone(message, broken: failure != nil) }
    guard let (reader, outcome) = done else { return }
    switch outcome {
    case .message(let message): reader.resume(returning: message)
    case .end: reader.resume(returning: nil)
    case .cancelled: reader.resume(throwing: failure ?? CancellationError())
    }
  }

  /// The transport gives up the read that is under way.
  package func abandonRead() {
    state.withLock { $0.machine.abandonRead() }?.resume(throwing: CancellationError())
  }

  /// The transport has answered a write.
  ///
  /// - Returns: the ending that the transport must send now, because the handler returned during the write.
  func writeDone(_ result: Result<Void, any Error>) -> CallEnding? {
    let (writer, ending) = state.withLock { state in
      let (writer, sendsFinish) = state.machine.writeDone()
      return (writer, sendsFinish ? state.ending.take() : nil)
    }
    writer?.completion(result)
    return ending
  }

  /// The call is cancelled: the client is gone or has cancelled the call, or the deadline has passed.
  package func cancel() {
    let waiter = state.withLock { state in
      state.machine.cancel()
      return state.cancellationWaiter.take()
    }
    waiter?.resume()
  }
}
