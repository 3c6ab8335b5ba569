package import RPCCore
package import SwiftProtobuf
internal import Synchronization
package import SystemClocks

/// A call without a network. Its client has sent all requests before the call begins, and takes every response at once.
package final class InMemoryCall: IncomingCall {
  private struct Ending {
    let status: CallStatus
    let trailingMetadata: Metadata
  }
  private struct State {
    var requests: ArraySlice<[UInt8]>
    var responses: [[UInt8]] = []
    var ending: Ending?
    var isCancelled = false
    var isHandled = false
    var cancellationWaiter: CheckedContinuation<Void, Never>?

    var error: RPCError? { if case .error(let error) = ending?.status { error } else { nil } }
  }
  private let state: Mutex<State>

  /// The facts of the call: its method and its deadline.
  package let context: CallContext
  /// The largest request that the call accepts, in bytes.
  package let maximumRequestBytes: Int

  /// Makes a call whose client sends encoded requests.
  ///
  /// - Parameters:
  ///   - method: the method that the client calls.
  ///   - requests: the encoded requests.
  ///   - deadline: the client's deadline; nil for none. The call is not cancelled at this time.
  ///   - maximumRequestBytes: the largest request that the call accepts, in bytes.
  package init(
    _ method: MethodName, requests: [[UInt8]], deadline: MonotonicInstant? = nil, maximumRequestBytes: Int = 1000
  ) {
    context = CallContext(method: method, deadline: deadline)
    state = Mutex(State(requests: requests[...]))
    self.maximumRequestBytes = maximumRequestBytes
  }

  /// Makes a call whose client sends messages.
  ///
  /// - Throws: SwiftProtobuf's error when a request cannot be encoded.
  package convenience init(
    _ method: MethodName, _ requests: [some Message], deadline: MonotonicInstant? = nil
  ) throws {
    self.init(
      method, requests: try requests.map { try $0.serializedBytes() }, deadline: deadline)
  }

  // MARK: For the executor and the handler

  /// Returns the client's next request, or nil after the last one.
  ///
  /// - Throws: `CancellationError` once the call is cancelled.
  package func read() async throws -> (any ReceivedBytes)? {
    try state.withLock { state in
      if state.isCancelled { throw CancellationError() }
      return state.requests.popFirst().map(SentBytes.init)
    }
  }

  /// Adds a message to the responses.
  ///
  /// - Throws: `CancellationError` once the call or the task is cancelled.
  package func write(_ message: LentMessage) async throws {
    try Task.checkCancellation()
    try take(message)
  }

  /// Adds a message to the responses, and calls `completion` before the function returns.
  package func write(_ message: LentMessage, completion: @escaping WriteCompletion) {
    completion(Result { try take(message) })
  }

  /// Does nothing, because no write is ever under way.
  package func abandonWrite() {}

  /// True once ``cancel()`` was called.
  package var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Returns when the call is cancelled or when the executor has called ``handled()``.
  package func waitForCancellation() async {
    await withCheckedContinuation { waiter in
      let isOver = state.withLock { state in
        if state.isCancelled || state.isHandled { return true }
        state.cancellationWaiter = waiter
        return false
      }
      if isOver { waiter.resume() }
    }
  }

  /// Makes ``waitForCancellation()`` return.
  package func handled() { wakeWaiter { $0.isHandled = true } }

  /// Keeps the status and the trailing metadata for the test.
  package func finish(_ status: CallStatus, trailingMetadata: Metadata) {
    state.withLock { $0.ending = Ending(status: status, trailingMetadata: trailingMetadata) }
  }

  private func take(_ message: LentMessage) throws {
    try state.withLock { state in
      if state.isCancelled { throw CancellationError() }
      state.responses.append(message.bytes)
    }
  }

  private func wakeWaiter(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state in
      change(&state)
      return state.cancellationWaiter.take()
    }
    waiter?.resume()
  }

  // MARK: For the client's side, which the test plays

  /// Cancels the call, as a client does that goes away.
  package func cancel() { wakeWaiter { $0.isCancelled = true } }

  /// All messages that the handler has written, followed by the response of a method with a single response.
  ///
  /// - Throws: SwiftProtobuf's error when a response is not such a message.
  package func responses<M: Message>() throws -> [M] {
    let (written, ending) = state.withLock { ($0.responses, $0.ending) }
    var all = written
    if case .ok(let response?) = ending?.status { all.append(response.bytes) }
    return try all.map { try M(serializedBytes: $0) }
  }

  /// The code of the status. Nil while the call runs.
  package var code: RPCError.Code? { trailingMetadata == nil ? nil : error?.code ?? .ok }

  /// The error of the status. Nil for a call that succeeded or still runs.
  package var error: RPCError? { state.withLock(\.error) }

  /// The trailing metadata that came with the status. Nil while the call runs.
  package var trailingMetadata: Metadata? { state.withLock(\.ending?.trailingMetadata) }
}

extension LentMessage {
  /// The whole encoded message in one piece.
  package var bytes: [UInt8] { header + payload.withUnsafeBytes { Array($0) } }
}
