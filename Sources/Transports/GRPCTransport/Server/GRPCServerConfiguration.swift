/// How the gRPC server listens, and what it lets clients do.
public struct GRPCServerConfiguration: Sendable {
  /// Where to listen: `host:port`, `[::1]:port`, `:port` (every interface), `unix:/path`. Port 0 picks a free one.
  public var addresses = ["127.0.0.1:0"]
  /// `ErrorInfo.domain` of every error that does not bring its own.
  public var errorDomain = ""

  /// A longer request is `RESOURCE_EXHAUSTED` `REQUEST_TOO_LARGE`.
  public var maximumRequestBytes = 4 << 20
  /// The same for a method whose requests are small (`RequestSize`). The server cuts a client that sends much more than
  /// twice as much at once, unless the client has, or had a little while ago, a call of a method whose requests are
  /// large.
  public var maximumSmallRequestBytes = 64 << 10
  /// gRPC refuses a longer request without receiving it, and without details.
  public var hardMaximumRequestBytes = 8 << 20
  /// Bytes of a call's metadata, names and values. A call with more fails.
  public var maximumMetadataBytes = 8 << 10

  /// Connections at once. For a surplus one the oldest TCP connection without a call gives way; when all have calls, it
  /// is closed on arrival.
  public var maximumConnections = 2048
  /// Connections at once from one IPv4 address or from one IPv6 network of 64 bits.
  public var maximumConnectionsPerAddress = 1536
  /// What a TCP connection may cost before it is cut.
  public var budget = ConnectionBudget()
  /// How long an address is refused after one of its connections was cut.
  public var refusalTime = Duration.seconds(5)
  /// A connection that has not begun with HTTP/2 in this time is closed.
  public var handshakeTimeout = Duration.seconds(10)
  /// A connection without a call for so long is closed; a gRPC client connects again when it has one.
  public var idleTimeout = Duration.seconds(300)
  /// What gRPC may take in all for what clients send.
  public var memoryQuotaBytes = 256 << 20
  /// Calls at once on one connection; the surplus waits in the client.
  public var maximumConcurrentStreams = 256
  /// Calls at once on the server; the surplus is `RESOURCE_EXHAUSTED` `TOO_MANY_CALLS`.
  public var maximumCalls = 4096

  /// A silent connection is pinged after this time. For so long a client whose kernel shrinks its buffers may be taken
  /// for one that is stopped.
  public var keepaliveTime = Duration.seconds(10)
  /// A connection that does not answer a ping in this time is dropped. Much less cuts off readers that are stopped.
  public var keepaliveTimeout = Duration.seconds(120)
  /// A client that pings more often than this gets a strike for each ping.
  public var minimumPingInterval = Duration.seconds(10)
  /// gRPC drops a client after so many strikes. 0 is unlimited.
  public var maximumPingStrikes = 2

  /// The kernel's send buffer per connection: what it holds is stale by the time a slow reader sees it. From the first
  /// message over 256 KiB on it is as large as the system makes it.
  public var sendBufferBytes = 128 << 10
  /// Bytes the kernel has beyond what TCP has in flight (TCP_NOTSENT_LOWAT) when the next message is called for; of
  /// large messages up to an eighth.
  public var unsentLowWaterBytes = 64 << 10

  /// The kernel's receive buffer per TCP connection, which a client can fill before the server reads any of it.
  public var receiveBufferBytes = 128 << 10
  /// What a client may send of a call's requests before the handler asks for the next one. Calls that have just begun may
  /// have sent so much before the server knows that their requests are large.
  public var readAheadBytes = 128 << 10
  /// What the server reads of a connection at a time, at most. It decodes so much of what a client sends even when it cuts
  /// the client meanwhile.
  public var readBytes = 8 << 10

  /// How long calls may go on after a graceful shutdown has begun.
  public var drainTimeout = Duration.seconds(3)

  public init() {}
}

/// What one TCP connection may cost: calls, and bytes that are no messages, such as pings, settings and resets.
///
/// Calls beyond ``callsAtOnce`` are `RESOURCE_EXHAUSTED` `TOO_MANY_CALLS`; with twice as many the connection is cut. So
/// it is with more bytes than ``bytesAtOnce``, unless they can be a request on its way, which is among them until it is
/// complete.
public struct ConnectionBudget: Hashable, Sendable {
  /// Calls that a client may open at once.
  public var callsAtOnce = 2500
  /// Calls that it may open in addition each second. 0 is unlimited.
  public var callsPerSecond = 200
  /// Bytes that a client may send at once beside messages, 2 KiB or the metadata of each call, 64 bytes for each
  /// response, and one byte in 256 that the client acknowledged.
  public var bytesAtOnce = 16 << 10
  /// Bytes that it may send in addition each second.
  public var bytesPerSecond = 1 << 10

  /// Makes the budget that honest clients never use up; docs/limits.md has the arithmetic.
  public init() {}
}
