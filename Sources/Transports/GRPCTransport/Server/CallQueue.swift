internal import CGRPC
internal import Locking
internal import RPCCore
internal import SwiftProtobuf

/// The calls between gRPC's threads, which bring new calls, and the server's task group, which runs them. The queue
/// refuses calls beyond a limit, and keeps the calls of bursts apart from all others.
final class CallQueue: Sendable {
  private struct State {
    /// The number of calls that are not done yet, both waiting and running ones.
    var live = 0
    var refused: UInt64 = 0
    /// Whether no task can run, so that the queue answers calls itself.
    var isStandingStill = false
  }
  private let state = Locked(State())
  /// The calls of clients that open calls steadily, or a few at once.
  let steady = CallLane()
  /// The calls of clients that open many at once.
  let bursts = CallLane()
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
    let budget = cgrpc_call_get_budget(call)
    let isSurplus = budget == CGRPC_CALL_SURPLUS
    let (isAdmitted, isStandingStill) = state.withLock { state in
      guard !isSurplus, !state.isStandingStill, state.live < maximumCalls else {
        state.refused += 1
        return (false, state.isStandingStill)
      }
      state.live += 1
      return (true, false)
    }
    if isStandingStill {
      answerStandingStill(call)
      return nil
    }
    guard isAdmitted else {
      refuse(call, isSurplus: isSurplus)
      return nil
    }
    let serverCall = ServerCall(call, limits: limits) { [self] in
      state.withLock { $0.live -= 1 }
    }
    (budget == CGRPC_CALL_OF_BURST ? bursts : steady).add(serverCall)
    return serverCall
  }

  /// Says whether the server can run no task. While that is so, the queue answers each new call itself, on gRPC's
  /// thread: the health check with NOT_SERVING, every other call with `STANDSTILL`.
  func setStandingStill(_ isStandingStill: Bool) { state.withLock { $0.isStandingStill = isStandingStill } }

  /// Ends both lanes.
  func finish() {
    steady.finish()
    bursts.finish()
  }

  /// The number of calls that are waiting or running at this moment, and the number of calls that were refused since
  /// the start.
  var usage: (live: Int, refused: UInt64) { state.withLock { ($0.live, $0.refused) } }

  private func answerStandingStill(_ call: OpaquePointer) {
    if String(cgrpc_call_method(call)) == Grpc_Health_V1_Health.check.name.path,
      let response = try? LentMessage(Grpc_Health_V1_HealthCheckResponse.with { $0.status = .notServing })
    {
      return CallStatus.ok(response).send(to: call)
    }
    let error = RPCError(
      .unavailable,
      "The daemon stands still because of a fault of its own, and is to be started anew; try again later.",
      reason: "STANDSTILL", retryDelay: .seconds(10))
    CallStatus.error(error.completed(domain: errorDomain)).send(to: call)
  }

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

/// The calls that wait until the server's task group runs them, in the order in which they came. A lane has one
/// consumer. ``CallQueue`` limits the number of calls in it.
///
/// The lane is not an `AsyncStream`: a cancelled consumer ends the stream, and the stream then forgets the calls in it,
/// but the server must finish every call.
final class CallLane: Sendable {
  private struct State {
    var waiting: [ServerCall] = []
    var consumer: CheckedContinuation<[ServerCall], Never>?
    var isFinished = false
  }
  private let state = Locked(State())

  /// Adds a call at the end, or hands it to the consumer that waits. gRPC's threads call this function.
  func add(_ call: ServerCall) {
    let consumer = state.withLock { state in
      guard let consumer = state.consumer.take() else {
        state.waiting.append(call)
        return CheckedContinuation<[ServerCall], Never>?.none
      }
      return consumer
    }
    consumer?.resume(returning: [call])
  }

  /// Waits until there are calls and returns all of them. Returns an empty array when ``finish()`` was called and no
  /// calls are left in the lane.
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

  /// Ends the lane: the consumer gets the calls that still wait, and then an empty array.
  func finish() {
    let consumer = state.withLock { state in
      state.isFinished = true
      return state.consumer.take()
    }
    consumer?.resume(returning: [])
  }
}

/// The largest request of a method in bytes, which depends on the method's `RequestSize`.
struct RequestLimits: Sendable {
  let small: Int
  let large: Int
  let router: RPCRouter

  /// Whether the requests of a method may be large. For a method that the router does not have, the requests are small.
  func areLarge(of method: MethodName) -> Bool { router.route(for: method)?.requests == .large }
}
