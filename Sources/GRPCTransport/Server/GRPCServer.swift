internal import Dispatch
public import Logging
public import ServiceLifecycle
internal import Synchronization

/// A gRPC server as a service.
///
/// ``run()`` listens and serves until a graceful shutdown or a cancellation; handlers are its child tasks. A graceful
/// shutdown sets health to NOT_SERVING, stops accepting, tells clients, and lets calls run for
/// ``GRPCServerConfiguration/drainTimeout``. Handlers of endless streams end themselves on it
/// (`cancelOnGracefulShutdown()`); what is left is cancelled.
public final class GRPCServer: Service {
  private let configuration: GRPCServerConfiguration
  private let executor: CallExecutor
  private let health: HealthState?
  private let logger: Logger
  private let queue: CallQueue
  private let listening = Listening()

  /// - Parameters:
  ///   - interceptors: the first is the outermost.
  ///   - errorMapper: turns what handlers throw, other than ``RPCError`` and `CancellationError`, into what clients
  ///     see. Nil is `INTERNAL` without details.
  ///   - health: set to NOT_SERVING when a shutdown begins. Serving it is the router's business.
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
    queue = CallQueue(configuration: configuration)
  }

  /// What was bound, ports resolved: `127.0.0.1:50051`, `[::1]:50051`, `unix:/path`. Waits until the server listens,
  /// so ``run()`` must be called sometime.
  ///
  /// - Throws: ``GRPCServerError`` when it could not listen.
  public var boundAddresses: [String] {
    get async throws { try await listening.server.boundAddresses }
  }

  /// What is open and what was refused, at this moment; all zero before the server listens.
  public var counters: GRPCServerCounters {
    let connections = listening.serverIfListening?.connections ?? (open: 0, accepted: 0, refused: 0)
    let calls = queue.usage
    return GRPCServerCounters(
      connections: connections.open, connectionsAccepted: connections.accepted,
      connectionsRefused: connections.refused, calls: calls.live, callsRefused: calls.refused)
  }

  /// Serves until shut down. Once per server.
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
      // Looking up a name blocks.
      DispatchQueue(label: "grpc.listen").async { [configuration, queue] in
        continuation.resume(returning: Result { try CServer(configuration: configuration, queue: queue) })
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
        let calls = await queue.next()
        if calls.isEmpty { break }
        for call in calls { group.addTask { [executor] in await executor.run(call) } }
      }
    }
  }
}

/// Figures for metrics.
public struct GRPCServerCounters: Hashable, Sendable {
  /// Open now.
  public var connections: UInt64
  public var connectionsAccepted: UInt64
  /// Over the limit, or out of descriptors.
  public var connectionsRefused: UInt64
  /// Running or waiting now.
  public var calls: Int
  /// Over the limit.
  public var callsRefused: UInt64
}
