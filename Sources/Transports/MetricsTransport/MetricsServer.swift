internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Serves a page of metrics by HTTP/1.1 to clients that ask for `GET /metrics`.
///
/// The server answers one request per connection and then closes the connection. A scrape is rare, so keeping
/// connections open would save little and would need code that watches over them. At most ``maximumConnections``
/// connections are open. A further connection makes the server close the oldest one, so that clients that connect and
/// send nothing cannot keep others out. The server closes each connection after ``patience`` seconds, even during a
/// request. The server runs on one thread of its own.
public struct MetricsServer: Sendable {
  /// The largest number of connections that are open at once.
  public static let maximumConnections = 16
  /// The time for which a connection may be open, in seconds.
  public static let patience = 10
  static let path = "/metrics"

  /// The address at which the server listens, with the port that the kernel picked if port 0 was asked for. Examples
  /// are `127.0.0.1:9464` and `[::1]:9464`.
  public let address: String
  private let group: MultiThreadedEventLoopGroup
  private let scrapes: AsyncStream<Scrape>

  /// Begins to listen. The caller must then call ``run(_:)``, which answers the requests and frees the server's thread
  /// in the end.
  ///
  /// - Parameter address: the address at which to listen.
  /// - Throws: ``MetricsServerError`` when the server cannot listen at `address`, for example because another program
  ///   does.
  public init(listeningOn address: MetricsAddress) async throws(MetricsServerError) {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let connections = BoundedConnections(maximum: Self.maximumConnections)
    // Each open connection has at most one request that waits. There are more requests than the buffer takes only when
    // some of their clients have gone.
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

  /// Answers requests until the task is cancelled, then closes all connections. The caller may call this method only
  /// once.
  ///
  /// - Parameter page: returns the page with the present metrics (``MetricsText/text``). The server calls `page` in
  ///   child tasks, for several requests at the same time.
  public func run(_ page: @escaping @Sendable () async -> String) async {
    await withDiscardingTaskGroup { tasks in
      for await scrape in scrapes {
        tasks.addTask { await scrape.answer(page) }
      }
    }
    // The shutdown of the group also closes every connection.
    try? await group.shutdownGracefully()
  }

  /// The limits of a request's header, far above the header that a scraper sends.
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

/// The reason for which the server cannot listen.
public struct MetricsServerError: Error, CustomStringConvertible {
  /// The reason, as a text for the operator.
  public let description: String
}
