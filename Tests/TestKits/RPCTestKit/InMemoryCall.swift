package import RPCCore
package import SwiftProtobuf
internal import Synchronization
package import SystemClocks

/// A call without a network. The client has sent all its requests before the call begins and takes every response at
/// once.
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

  package let context: CallContext
  package let maximumRequestBytes: Int

  package init(
    _ method: MethodName, requests: [[UInt8]], deadline: MonotonicInstant? = nil, maximumRequestBytes: Int = 1000
  ) {
    context = CallContext(method: method, deadline: deadline)
    state = Mutex(State(requests: requests[...]))
    self.maximumRequestBytes = maximumRequestBytes
  }

  package convenience init(
    _ method: MethodName, _ requests: [some Message], deadline: MonotonicInstant? = nil
  ) throws {
    self.init(
      method, requests: try requests.map { try $0.serializedBytes() }, deadline: deadline)
  }

  // MARK: For the executor and the handler

  package func read() async throws -> (any ReceivedBytes)? {
    try state.withLock { state in
      if state.isCancelled { throw CancellationError() }
      return state.requests.popFirst().map(Received.init)
    }
  }

  package func write(_ message: LentMessage) async throws {
    try Task.checkCancellation()
    try take(message)
  }

  package func write(_ message: LentMessage, completion: @escaping WriteCompletion) {
    completion(Result { try take(message) })
  }

  /// Does nothing, because no write is ever under way.
  package func abandonWrite() {}

  package var isCancelled: Bool { state.withLock(\.isCancelled) }

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

  package func handled() { wakeWaiter { $0.isHandled = true } }

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

  /// Goes away as a client does.
  package func cancel() { wakeWaiter { $0.isCancelled = true } }

  /// What the handler has written, and the response of a method that has a single one.
  package func responses<M: Message>() throws -> [M] {
    let (written, ending) = state.withLock { ($0.responses, $0.ending) }
    var all = written
    if case .ok(let response?) = ending?.status { all.append(response.bytes) }
    return try all.map { try M(serializedBytes: $0) }
  }

  /// The code of the status; nil while the call runs.
  package var code: RPCError.Code? { trailingMetadata == nil ? nil : error?.code ?? .ok }

  /// The error of the status; nil for a call that succeeded or still runs.
  package var error: RPCError? { state.withLock(\.error) }

  /// What came with the status; nil while the call runs.
  package var trailingMetadata: Metadata? { state.withLock(\.ending?.trailingMetadata) }
}

/// A request as a transport hands it over.
private struct Received: ReceivedBytes {
  let bytes: [UInt8]

  var count: Int { bytes.count }

  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    // The array's function does not know typed errors.
    let result: Result<R, E> = bytes.withUnsafeBytes { buffer in
      do throws(E) { return .success(try body(buffer)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension LentMessage {
  /// The message in one piece.
  package var bytes: [UInt8] { header + payload.withUnsafeBytes { Array($0) } }
}
