internal import CGRPC
internal import Synchronization

/// How large requests may be, by method.
struct RequestLimits: Sendable {
  var small: Int
  var large: Int
  /// Of the methods whose requests are large.
  var largePaths: Set<String>
}

/// Calls on their way from gRPC's threads to the server's task group: bounded, for one consumer.
///
/// Not an `AsyncStream`: that one ends when its consumer is cancelled and forgets what it holds, but every call must be
/// finished.
final class CallQueue: Sendable {
  private struct State {
    var waiting: [ServerCall] = []
    var consumer: CheckedContinuation<[ServerCall], Never>?
    /// Calls that are not done yet, waiting or running.
    var live = 0
    var refused: UInt64 = 0
    var isFinished = false
  }
  private let state = Mutex(State())
  private let maximumCalls: Int
  private let budget: ConnectionBudget
  private let limits: RequestLimits
  private let errorDomain: String

  init(configuration: GRPCServerConfiguration, largePaths: Set<String>) {
    maximumCalls = configuration.maximumCalls
    budget = configuration.budget
    limits = RequestLimits(
      small: min(configuration.maximumSmallRequestBytes, configuration.maximumRequestBytes),
      large: configuration.maximumRequestBytes, largePaths: largePaths)
    errorDomain = configuration.errorDomain
  }

  /// Takes over a new call. On gRPC's threads.
  ///
  /// - Returns: nil when there are too many; the call has then been answered.
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

  /// The calls that have arrived, at least one; empty once ``finish()`` was called and all were given out.
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

  /// No more calls will come.
  func finish() {
    let consumer = state.withLock { state in
      state.isFinished = true
      return state.consumer.take()
    }
    consumer?.resume(returning: [])
  }

  /// Calls at this moment, and how many were ever refused.
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
