internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Serves a page of metrics by HTTP/1.1 to whoever asks for `GET /metrics`.
///
/// One request for each connection, then it is closed: a scrape is rare, and what cannot stay need not be looked after.
/// At most ``maximumConnections`` are open; one more closes the oldest, so that peers who open connections and send nothing
/// keep nobody out. Each is closed after ``patience`` whatever it does. One thread, its own.
public struct MetricsServer: Sendable {
  public static let maximumConnections = 16
  /// Seconds that a connection may be open.
  public static let patience = 10
  static let path = "/metrics"

  /// Where it listens, the port resolved: `127.0.0.1:9464`, `[::1]:9464`.
  public let address: String
  private let group: MultiThreadedEventLoopGroup
  private let scrapes: AsyncStream<Scrape>

  /// Listens. ``run(_:)`` must follow.
  ///
  /// - Throws: ``MetricsServerError``.
  public init(listeningOn address: MetricsAddress) async throws(MetricsServerError) {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let connections = BoundedConnections(maximum: Self.maximumConnections)
    // Each open connection has one at most; more are those of peers who have gone.
    let (scrapes, asked) = AsyncStream.makeStream(
      of: Scrape.self, bufferingPolicy: .bufferingNewest(Self.maximumConnections))
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 64)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          connections.admit(channel, for: .seconds(Int64(Self.patience)))
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: Self.limits)
          try channel.pipeline.syncOperations.addHandler(ScrapeHandler(asked: asked))
        }
      }
    do {
      let listener = try await bootstrap.bind(host: address.host, port: address.port).get()
      self.address = listener.localAddress.map(Self.describe) ?? address.description
    } catch {
      try? await group.shutdownGracefully()
      throw MetricsServerError(description: "\(error)")
    }
    self.group = group
    self.scrapes = scrapes
  }

  /// Serves until the task is cancelled. Once.
  ///
  /// - Parameter page: the metrics now, ``MetricsText/text``; runs in a child task, several at once.
  public func run(_ page: @escaping @Sendable () async -> String) async {
    await withDiscardingTaskGroup { tasks in
      for await scrape in scrapes {
        tasks.addTask { await scrape.answer(page) }
      }
    }
    // Closes every connection, too.
    try? await group.shutdownGracefully()
  }

  /// Far more than a scraper sends.
  private static var limits: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 8 << 10
    limits.maxHeaderListSize = 16 << 10
    limits.maxHeaderFieldCount = 64
    return limits
  }

  private static func describe(_ address: SocketAddress) -> String {
    MetricsAddress(host: address.ipAddress ?? "", port: address.port ?? 0).description
  }
}

/// Why metrics cannot be served.
public struct MetricsServerError: Error, CustomStringConvertible {
  /// For the operator.
  public let description: String
}
