internal import CGRPC
internal import RPCCore
internal import Synchronization

/// A queue of calls between gRPC's threads, which bring new calls, and the server's task group, which runs them. The
/// queue has one consumer, and it refuses calls beyond a limit.
///
/// The queue is not an `AsyncStream`: a cancelled consumer ends the stream, and the stream then forgets the calls in
/// it, but the server must finish every call.
final class CallQueue: Sendable {
  private struct State {
    var waiting: [ServerCall] = []
    var consumer: CheckedContinuation<[ServerCall], Never>?
    /// The number of calls that are not done yet, both waiting and running ones.
    var live = 0
    var refused: UInt64 = 0
    var isFinished = false
  }
  private let state = Mutex(State())
  private let maximumCalls: Int
  private let budget: ConnectionBudget
  private let limits: RequestLimits
  private let errorDomain: String

  init(configuration: GRPCServerConfiguration, router: RPCRouter) {
    maximumCalls = configuration.calls.maximum
    budget = configuration.connections.budget
    limits = RequestLimits(
      small: min(configuration.requests.maximumSmallBytes, configuration.requests.maximumBytes),
      large: configuration.requests.maximumBytes, router: router)
    errorDomain = configuration.errorDomain
  }

  /// Takes over a new call, or answers it with an error when there are too many calls. gRPC's threads call this
  /// function.
  ///
  /// - Returns: the call in Swift. Nil for a call that was refused, which has had its answer by then.
  func arrived(_ call: OpaquePointer) -> ServerCall? {
    let isSurplus = cgrpc_call_is_surplus(call)
    let isAdmitted = state.withLock { state in
      guard !isSurplus, state.live < maximumCalls else {
        state.refused += 1
        return false
      }
      state.live += 1
      return true
    }
    guard isAdmitted else {
      refuse(call, isSurplus: isSurplus)
      return nil
    }
    let serverCall = ServerCall(call, limits: limits) { [self] in
      state.withLock { $0.live -= 1 }
    }
    let consumer = state.withLock { state in
      guard let consumer = state.consumer.take() else {
        state.waiting.append(serverCall)
        return CheckedContinuation<[ServerCall], Never>?.none
      }
      return consumer
    }
    consumer?.resume(returning: [serverCall])
    return serverCall
  }

  /// Waits until there are calls and returns all of them. Returns an empty array when ``finish()`` was called and no
  /// calls are left in the queue.
  func next() async -> [ServerCall] {
    await withCheckedContinuation { consumer in
      let calls: [ServerCall]? = state.withLock { state in
        if state.waiting.isEmpty && !state.isFinished {
          state.consumer = consumer
          return nil
        }
        defer { state.waiting.removeAll(keepingCapacity: true) }
        return state.waiting
      }
      if let calls { consumer.resume(returning: calls) }
    }
  }

  /// Ends the queue: the consumer gets the calls that still wait, and then an empty array.
  func finish() {
    let consumer = state.withLock { state in
      state.isFinished = true
      return state.consumer.take()
    }
    consumer?.resume(returning: [])
  }

  /// The number of calls that are waiting or running at this moment, and the number of calls that were refused since
  /// the start.
  var usage: (live: Int, refused: UInt64) { state.withLock { ($0.live, $0.refused) } }

  private func refuse(_ call: OpaquePointer, isSurplus: Bool) {
    let error =
      isSurplus
      ? RPCError(
        .resourceExhausted,
        """
        The connection opened more calls than its budget of \(budget.callsPerSecond) a second allows. Open fewer \
        calls, or use a stream that watches; the server cuts a connection that opens twice as many.
        """,
        reason: "TOO_MANY_CALLS", metadata: ["limit": "\(budget.callsPerSecond)/s"], retryDelay: .seconds(1))
      : RPCError(
        .resourceExhausted, "The server already runs \(maximumCalls) calls.", reason: "TOO_MANY_CALLS",
        metadata: ["limit": "\(maximumCalls)"], retryDelay: .seconds(1))
    CallStatus.error(error.completed(domain: errorDomain)).send(to: call)
  }
}
