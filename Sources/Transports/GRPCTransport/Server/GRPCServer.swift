internal import CGRPC
internal import Dispatch
public import Logging
public import RPCCore
public import ServiceLifecycle

/// A gRPC server for the methods of a router, which runs as a service of the daemon.
///
/// ``run()`` listens and serves until a graceful shutdown begins or its task is cancelled. Handlers are child tasks of
/// ``run()``. When a graceful shutdown begins, the server sets its health to NOT_SERVING, stops accepting connections,
/// tells the clients, and lets calls run for ``GRPCServerConfiguration/drainTimeout``. Handlers of endless streams must
/// end by themselves when the shutdown begins (`cancelOnGracefulShutdown()`). The server then cancels the calls that
/// are left.
public final class GRPCServer: Service {
  private let configuration: GRPCServerConfiguration
  private let executor: CallExecutor
  private let health: HealthState?
  private let logger: Logger
  private let events: ServerEvents
  private let listening = Listening<CServer>()

  /// Makes a server. The server does not listen before ``run()``.
  ///
  /// - Parameters:
  ///   - configuration: where the server listens, and its limits.
  ///   - router: the methods that the server has.
  ///   - interceptors: the code that runs around every handler. The first interceptor is the outermost one.
  ///   - errorMapper: returns the error that the client gets for an error that a handler threw. The server does not ask
  ///     it about `RPCError` and `CancellationError`. When it returns nil, the client gets `INTERNAL` without details.
  ///   - health: the state that the server sets to NOT_SERVING when a shutdown begins. The router must have the health
  ///     service that reports this state. Nil for a server without health.
  ///   - logger: logs start, shutdown, cut connections and unexpected errors of handlers.
  public init(
    configuration: GRPCServerConfiguration, router: RPCRouter, interceptors: [any ServerInterceptor] = [],
    errorMapper: @escaping @Sendable (any Error) -> RPCError? = { _ in nil }, health: HealthState? = nil,
    logger: Logger
  ) {
    self.configuration = configuration
    self.health = health
    self.logger = logger
    executor = CallExecutor(
      router: router, interceptors: interceptors, errorMapper: errorMapper, errorDomain: configuration.errorDomain,
      logger: logger)
    events = ServerEvents(
      calls: CallQueue(configuration: configuration, router: router), cuts: CutLog(logger: logger))
  }

  /// The addresses that the server listens on, with the ports that the system chose: `127.0.0.1:50051`, `[::1]:50051`,
  /// `unix:/path`. Reading the property waits until the server listens, so another task must call ``run()``.
  ///
  /// - Throws: ``GRPCServerError`` when the server cannot listen.
  public var boundAddresses: [String] {
    get async throws { try await listening.server.boundAddresses }
  }

  /// The numbers of open and refused connections and calls at this moment. The numbers of connections are zero until
  /// the server listens.
  public var counters: GRPCServerCounters {
    let connections = listening.serverIfListening?.counters ?? cgrpc_server_counters()
    let calls = events.calls.usage
    return GRPCServerCounters(
      connections: connections.connections, connectionsAccepted: connections.accepted,
      connectionsRefused: connections.refused, connectionsGaveWay: connections.gave_way,
      connectionsCutForCalls: connections.cut_for_calls, connectionsCutForBytes: connections.cut_for_bytes,
      calls: calls.live, callsRefused: calls.refused)
  }

  /// Says whether Swift's pool runs no tasks, and so no handler. The server then answers new calls without handlers:
  /// the health check with NOT_SERVING, and every other call with `UNAVAILABLE` `STANDSTILL`.
  public func setStandingStill(_ isStandingStill: Bool) { events.calls.setStandingStill(isStandingStill) }

  /// Listens, and serves until the server is shut down. May be called once.
  ///
  /// - Throws: ``GRPCServerError`` when the server cannot listen.
  public func run() async throws {
    let server = try await listen()
    await withTaskCancellationHandler {
      await withGracefulShutdownHandler {
        await serve()
      } onGracefulShutdown: { [self] in
        logger.info("The gRPC server shuts down and lets calls finish.")
        health?.shutDown()
        server.shutDown(drain: configuration.drainTimeout)
      }
    } onCancel: { [self] in
      health?.shutDown()
      server.shutDown(drain: .zero)
    }
    logger.info("The gRPC server has stopped.")
  }

  private func listen() async throws -> CServer {
    let result = await withCheckedContinuation { continuation in
      // Looking up a host name blocks, so the server starts on a dispatch queue and not on a thread of Swift's pool.
      DispatchQueue(label: "grpc.listen").async { [configuration, events] in
        continuation.resume(returning: Result { try CServer(configuration: configuration, events: events) })
      }
    }
    listening.resolve(result)
    let server = try result.get()
    logger.info("The gRPC server listens.", metadata: ["server.addresses": "\(server.boundAddresses)"])
    return server
  }

  private func serve() async {
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in await serveBursts() }
      while true {
        let calls = await events.calls.steady.next()
        if calls.isEmpty { break }
        for call in calls { group.addTask { [executor] in await executor.run(call) } }
      }
    }
  }

  /// Runs the calls of bursts, at most 1,000 a second. gRPC and Swift serve calls in the order in which they come, so
  /// that a burst served at full speed would delay the acknowledgements and the frames of all viewers.
  private func serveBursts() async {
    await withDiscardingTaskGroup { group in
      var started = 0
      while true {
        let calls = await events.calls.bursts.next()
        if calls.isEmpty { break }
        for call in calls {
          group.addTask { [executor] in await executor.run(call) }
          // A call that its client has given up takes little.
          if call.isCancelled { continue }
          started += 1
          if started.isMultiple(of: 5) { try? await Task.sleep(for: .milliseconds(5)) }
        }
      }
    }
  }
}
