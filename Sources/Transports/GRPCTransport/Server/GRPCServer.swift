internal import CGRPC
internal import Dispatch
public import Logging
public import RPCCore
public import ServiceLifecycle
internal import Synchronization

/// A gRPC server, which serves the methods of a router as a service of the daemon.
///
/// ``run()`` listens and serves until a graceful shutdown or a cancellation. Handlers are its child tasks. A graceful
/// shutdown sets health to NOT_SERVING, stops accepting, tells clients, and lets calls run for
/// ``GRPCServerConfiguration/drainTimeout``. Handlers of endless streams end themselves on it
/// (`cancelOnGracefulShutdown()`). The server then cancels the calls that are left.
public final class GRPCServer: Service {
  private let configuration: GRPCServerConfiguration
  private let executor: CallExecutor
  private let health: HealthState?
  private let logger: Logger
  private let events: ServerEvents
  private let listening = Listening()

  /// - Parameters:
  ///   - interceptors: the first is the outermost.
  ///   - errorMapper: turns what handlers throw, other than `RPCError` and `CancellationError`, into what clients see.
  ///     For nil clients see `INTERNAL` without details.
  ///   - health: the server sets it to NOT_SERVING when a shutdown begins. The router serves it.
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
  /// `unix:/path`. Waits until the server listens, so ``run()`` must be called as well.
  ///
  /// - Throws: ``GRPCServerError`` when it could not listen.
  public var boundAddresses: [String] {
    get async throws { try await listening.server.boundAddresses }
  }

  /// What is open and what was refused at this moment. All figures are zero before the server listens.
  public var counters: GRPCServerCounters {
    let connections = listening.serverIfListening?.counters ?? cgrpc_server_counters()
    let calls = events.calls.usage
    return GRPCServerCounters(
      connections: connections.connections, connectionsAccepted: connections.accepted,
      connectionsRefused: connections.refused, connectionsGaveWay: connections.gave_way,
      connectionsCutForCalls: connections.cut_for_calls, connectionsCutForBytes: connections.cut_for_bytes,
      calls: calls.live, callsRefused: calls.refused)
  }

  /// Serves until the server is shut down. May be called once.
  ///
  /// - Throws: ``GRPCServerError`` when it cannot listen.
  public func run() async throws {
    let server = try await listen()
    await withTaskCancellationHandler {
      await withGracefulShutdownHandler {
        await serve()
      } onGracefulShutdown: { [self] in
        logger.info("gRPC server drains")
        health?.shutDown()
        server.shutDown(drain: configuration.drainTimeout)
      }
    } onCancel: { [self] in
      health?.shutDown()
      server.shutDown(drain: .zero)
    }
    logger.info("gRPC server stopped")
  }

  private func listen() async throws -> CServer {
    let result = await withCheckedContinuation { continuation in
      // On a thread of its own, because looking up a name blocks.
      DispatchQueue(label: "grpc.listen").async { [configuration, events] in
        continuation.resume(returning: Result { try CServer(configuration: configuration, events: events) })
      }
    }
    listening.resolve(result)
    let server = try result.get()
    logger.info("gRPC server listens", metadata: ["server.addresses": "\(server.boundAddresses)"])
    return server
  }

  private func serve() async {
    await withDiscardingTaskGroup { group in
      while true {
        let calls = await events.calls.next()
        if calls.isEmpty { break }
        for call in calls { group.addTask { [executor] in await executor.run(call) } }
      }
    }
  }
}

/// Figures of a server for metrics.
public struct GRPCServerCounters: Hashable, Sendable {
  /// Connections that are open.
  public var connections: UInt64
  public var connectionsAccepted: UInt64
  /// Connections over a limit, connections from an address that is refused for a while, and connections without a
  /// descriptor.
  public var connectionsRefused: UInt64
  /// Connections without a call that were closed for a new one.
  public var connectionsGaveWay: UInt64
  /// Connections that opened far more calls than ``ConnectionBudget`` allows.
  public var connectionsCutForCalls: UInt64
  /// Connections that sent far more bytes than their messages and calls account for.
  public var connectionsCutForBytes: UInt64
  /// Calls that run or wait.
  public var calls: Int
  /// Calls over a limit.
  public var callsRefused: UInt64
}
