/// How the server listens and what it puts up with.
public struct GRPCServerConfiguration: Sendable {
  /// Where to listen: `host:port`, `[::1]:port`, `:port` (every interface), `unix:/path`. Port 0 picks a free one.
  public var addresses = ["127.0.0.1:0"]
  /// `ErrorInfo.domain` of every error that does not bring its own.
  public var errorDomain = ""

  /// A longer request is `RESOURCE_EXHAUSTED` `REQUEST_TOO_LARGE`.
  public var maximumRequestBytes = 4 << 20
  /// A longer request is not even received: gRPC refuses it, without details.
  public var hardMaximumRequestBytes = 64 << 20

  /// Connections at once; the surplus is closed on arrival.
  public var maximumConnections = 1024
  /// Calls at once on one connection; the surplus waits in the client.
  public var maximumConcurrentStreams = 256
  /// Calls at once on the server; the surplus is `RESOURCE_EXHAUSTED` `TOO_MANY_CALLS`.
  public var maximumCalls = 4096

  /// A silent connection is pinged after this time. For so long a client whose kernel shrinks its buffers may be taken
  /// for one that is stopped.
  public var keepaliveTime = Duration.seconds(10)
  /// A connection that does not answer a ping in this time is dropped. Much less cuts off readers that are stopped.
  public var keepaliveTimeout = Duration.seconds(120)
  /// A client that pings more often than this collects strikes ...
  public var minimumPingInterval = Duration.seconds(10)
  /// ... and is dropped after so many. 0 is unlimited.
  public var maximumPingStrikes = 2

  /// The kernel's send buffer per connection: what it holds is stale by the time a slow reader sees it. From the first
  /// message over 256 KiB on it is as large as the system makes it.
  public var sendBufferBytes = 128 << 10
  /// Bytes the kernel has beyond what TCP has in flight (TCP_NOTSENT_LOWAT) when the next message is called for; of large
  /// messages up to an eighth.
  public var unsentLowWaterBytes = 64 << 10

  /// How long calls may go on after a graceful shutdown has begun.
  public var drainTimeout = Duration.seconds(3)

  public init() {}
}
