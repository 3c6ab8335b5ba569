internal import CGRPC
internal import RPCCore
internal import Synchronization

/// How many bytes a request may have, by the size that the router gives its method.
struct RequestLimits: Sendable {
  let small: Int
  let large: Int
  let router: RPCRouter

  /// Whether the method's requests may be large. A method that the router does not have has small ones.
  func areLarge(of method: MethodName) -> Bool { router.route(for: method)?.requests == .large }
}

/// Calls on their way from gRPC's threads to the server's task group, for one consumer. It holds a bounded number of
/// them.
///
/// It is no `AsyncStream`, because a stream ends when its consumer is cancelled and forgets what it holds, but every
/// call must be finished.
final class CallQueue: Sendable {
  private struct State {
    var waiting: [ServerCall] = []
    var consumer: CheckedContinuation<[ServerCall], Never>?
    /// How many calls are not done yet, be they waiting or running.
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
    maximumCalls = configuration.maximumCalls
    budget = configuration.budget
    limits = RequestLimits(
      small: min(configuration.maximumSmallRequestBytes, configuration.maximumRequestBytes),
      large: configuration.maximumRequestBytes, router: router)
    errorDomain = configuration.errorDomain
  }

  /// Takes over a new call. gRPC's threads call it.
  ///
  /// - Returns: nil when there are too many calls. This one has then been answered.
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

  /// Waits for calls and returns all that have arrived. Returns none once ``finish()`` was called and the consumer has
  /// all.
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

  /// Tells the consumer that no more calls will come.
  func finish() {
    let consumer = state.withLock { state in
      state.isFinished = true
      return state.consumer.take()
    }
    consumer?.resume(returning: [])
  }

  /// How many calls there are at this moment, and how many were refused since the beginning.
  var usage: (live: Int, refused: UInt64) { state.withLock { ($0.live, $0.refused) } }

  private func refuse(_ call: OpaquePointer, isSurplus: Bool) {
    let error =
      isSurplus
      ? RPCError(
        .resourceExhausted,
        """
        The connection opened more than \(budget.callsPerSecond) calls a second for a while. Open fewer, or watch by a \
        stream; a connection with twice as many is cut.
        """,
        reason: "TOO_MANY_CALLS", metadata: ["limit": "\(budget.callsPerSecond)/s"], retryDelay: .seconds(1))
      : RPCError(
        .resourceExhausted, "The server already runs \(maximumCalls) calls.", reason: "TOO_MANY_CALLS",
        metadata: ["limit": "\(maximumCalls)"], retryDelay: .seconds(1))
    CallStatus.error(error.completed(domain: errorDomain)).send(to: call)
  }
}
