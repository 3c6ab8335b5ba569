internal import HummingbirdCore
internal import Locking
public import Logging
internal import NIOCore
internal import NIOHTTPTypes
internal import NIOPosix
public import RPCCore
public import ServiceLifecycle

/// An HTTP/1.1 server for RPCs (Connect and gRPC-Web) and pages.
///
/// The server runs on one thread of its own, see ``EventLoops``. Hummingbird and SwiftNIO accept connections and parse
/// HTTP. RPCs reach the same handlers and interceptors as those of the gRPC server. Pages and files pass an access
/// check before they are served, and RPCs that of the router.
public final class HTTPServer: Service {
  private let configuration: HTTPServerConfiguration
  private let responder: HTTPResponder
  private let connections: HTTPConnections
  private let listening = Listening<HTTPAddress>()
  private let logger: Logger

  /// Makes a server. ``run()`` starts it.
  ///
  /// - Parameters:
  ///   - configuration: the address and the limits.
  ///   - pages: the pages, each with a path of its own.
  ///   - files: the files, each with a path of its own.
  ///   - access: checks who opens a page or a file.
  ///   - router: the methods that clients may call. Nil for a server that has pages only.
  ///   - interceptors: the code that runs around every handler. The first interceptor is the outermost one.
  ///   - errorMapper: returns the error that the client gets for an error that a handler or the access check threw.
  ///   - logger: logs unexpected errors of handlers and of the access check.
  public init(
    configuration: HTTPServerConfiguration, pages: [HTTPPage], files: [HTTPFile] = [],
    access: any AccessCheck, router: RPCRouter? = nil, interceptors: [any ServerInterceptor] = [],
    errorMapper: @escaping @Sendable (any Error) -> RPCError? = { _ in nil },
    logger: Logger
  ) {
    self.configuration = configuration
    self.logger = logger
    let connections = HTTPConnections(maximum: configuration.maximumConnections)
    let calls = router.map { router in
      RPCResponder(
        configuration: configuration, connections: connections, router: router,
        executor: CallExecutor(
          router: router, interceptors: interceptors, errorMapper: errorMapper,
          errorDomain: configuration.errorDomain, logger: logger))
    }
    responder = HTTPResponder(
      rules: HostRules(hosts: configuration.hosts, origins: configuration.origins), pages: pages,
      files: Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0) }), access: access, errorMapper: errorMapper,
      calls: calls, connections: connections, logger: logger)
    self.connections = connections
  }

  /// The address at which the server listens, with the port that the kernel picked. Waits until the server listens.
  ///
  /// - Throws: the error for which the server cannot listen.
  public var boundAddress: HTTPAddress {
    get async throws { try await listening.server }
  }

  /// Listens, and serves until the service group shuts down. RPCs then have `drainTime` to end. May be called once.
  ///
  /// - Throws: ``HTTPServerError`` when the server cannot listen; what ends a server that listens, as it is.
  public func run() async throws {
    let group = EventLoops.borrow()
    defer { EventLoops.giveBack(group) }
    let channel = HTTP1Channel(
      responder: { [responder] request, _, channel in await responder.respond(to: request, on: channel) },
      configuration: .init(
        additionalChannelHandlers: [
          ConnectionHandler(connections: self.connections, configuration: self.configuration)
        ],
        idleTimeout: .init(configuration.idleTime),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64)))
    let server = Server(
      childChannelSetup: channel,
      configuration: ServerConfiguration(
        address: .hostname(configuration.address.host, port: configuration.address.port)),
      onServerRunning: { [listening] channel in listening.resolve(.success(HTTPAddress(of: channel))) },
      eventLoopGroup: group, logger: quietLogger)
    do {
      try await withTaskCancellationHandler {
        try await withGracefulShutdownHandler {
          try await server.run()
        } onGracefulShutdown: { [connections, drain = configuration.drainTime, loop = group.next()] in
          loop.scheduleTask(in: .init(drain)) { connections.closeAll() }
        }
      } onCancel: { [connections] in
        connections.closeAll()
      }
    } catch {
      if listening.serverIfListening != nil { throw error }
      let failure = HTTPServerError(
        description: "The HTTP server cannot listen at \(configuration.address): \(error)")
      listening.resolve(.failure(failure))
      throw failure
    }
  }

  /// Hummingbird logs the address when it listens. The daemon does that itself.
  private var quietLogger: Logger {
    var logger = logger
    logger.logLevel = max(logger.logLevel, .warning)
    return logger
  }
}

/// The threads of HTTP servers. A server borrows one while it runs, and none is ever ended.
///
/// A thread that brings a picture, or a task whose memory the runtime frees a moment after its end, may still hand
/// something to an event loop when the server has ended. SwiftNIO takes a loop that was shut down for a fault then, and
/// nothing tells when the last of them is gone. A loop that lives as long as the process has no such moment.
///
/// Thread-safe.
enum EventLoops {
  private static let free = Locked<[any EventLoopGroup]>([])

  /// Returns a group of one thread that no other server has, until ``giveBack(_:)``.
  static func borrow() -> any EventLoopGroup {
    free.withLock { $0.popLast() } ?? MultiThreadedEventLoopGroup(numberOfThreads: 1)
  }

  /// Lets the next server have the group. All connections of the server have ended.
  static func giveBack(_ group: any EventLoopGroup) { free.withLock { $0.append(group) } }
}

/// The reason for which an HTTP server cannot listen.
public struct HTTPServerError: Error, CustomStringConvertible {
  /// A text for people.
  public let description: String
}
