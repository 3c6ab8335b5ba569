/// The addresses and the limits of a gRPC server.
public struct GRPCServerConfiguration: Sendable {
  /// The addresses to listen on: `host:port`, `[::1]:port`, `:port` (every interface) or `unix:/path`. For port 0 the
  /// system chooses a free port.
  public var addresses = ["127.0.0.1:0"]
  /// The `ErrorInfo.domain` of every error that has no domain of its own.
  public var errorDomain = ""
  /// The limits of requests.
  public var requests = Requests()
  /// The limits of connections.
  public var connections = Connections()
  /// The limits of calls.
  public var calls = Calls()
  /// The settings of pings.
  public var keepalive = Keepalive()
  /// The sizes of buffers.
  public var buffers = Buffers()
  /// The time for which calls may go on after a graceful shutdown has begun.
  public var drainTimeout = Duration.seconds(3)

  /// Makes the daemon's default configuration, which listens on a free port of 127.0.0.1.
  public init() {}

  /// How large the requests of clients may be.
  public struct Requests: Sendable {
    /// The largest request in bytes. A larger request fails with `RESOURCE_EXHAUSTED` `REQUEST_TOO_LARGE`.
    public var maximumBytes = 4 << 20
    /// The largest request in bytes of a method whose requests are small (`RequestSize`). When a TCP connection has
    /// much more than twice as many bytes of requests under way, the server refuses the newest with `REQUEST_TOO_LARGE`
    /// before all of it has come. The server allows more while the connection has a call of a method with large
    /// requests, and for 30 seconds after such a call.
    public var maximumSmallBytes = 64 << 10
    /// The largest request in bytes of which the server tells the size when it refuses it. Of a larger one it tells
    /// only the limit, because it does not wait until all of it has come.
    public var hardMaximumBytes = 8 << 20
    /// The largest metadata of a call in bytes, names and values together. A call with more fails.
    public var maximumMetadataBytes = 8 << 10
  }

  /// How many connections clients may open, and when the server closes one.
  public struct Connections: Sendable {
    /// The largest number of connections at once. When a further connection comes, the server closes the oldest TCP
    /// connection without a call, of the address with the most connections. When every TCP connection has a call, the
    /// server closes the new one on arrival.
    public var maximum = 2048
    /// The largest number of connections at once from one IPv4 address or from one IPv6 network of 64 bits. When a
    /// further one comes, the server closes the oldest connection of this address without a call, or else the new one.
    public var maximumPerAddress = 1536
    /// The calls and bytes that one TCP connection may cost before the server cuts it.
    public var budget = ConnectionBudget()
    /// The time for which the server refuses connections from an address after it has cut one of the address's
    /// connections.
    public var refusalTime = Duration.seconds(5)
    /// The time in which a new connection must begin to speak HTTP/2. The server closes the connection otherwise.
    public var handshakeTimeout = Duration.seconds(10)
    /// The time after which the server closes a connection without a call. A gRPC client connects again when it has
    /// another call.
    public var idleTimeout = Duration.seconds(300)
    /// The memory in bytes that gRPC may take in all for the bytes that clients send.
    public var memoryQuotaBytes = 256 << 20
  }

  /// How many calls run at once.
  public struct Calls: Sendable {
    /// The largest number of calls at once on the server. A further call fails with `RESOURCE_EXHAUSTED`
    /// `TOO_MANY_CALLS`.
    public var maximum = 4096
    /// The largest number of calls at once on one connection. The client holds further calls back.
    public var maximumPerConnection = 256
  }

  /// The pings of the server and of clients.
  public struct Keepalive: Sendable {
    /// The time after which the server pings a connection without traffic. A client whose kernel shrinks its receive
    /// buffer may look like a client that is stopped, until the client answers the next ping.
    public var time = Duration.seconds(10)
    /// The time in which a client must answer a ping. The server drops the connection otherwise. A much shorter time
    /// would cut off readers that are stopped for a while.
    public var timeout = Duration.seconds(120)
    /// The shortest time between two pings of a client. A client that pings more often gets a strike for each ping.
    public var minimumPingInterval = Duration.seconds(10)
    /// The number of strikes that gRPC tolerates before it drops a client. 0 means any number.
    public var maximumPingStrikes = 2
  }

  /// The buffers between the server and its clients.
  public struct Buffers: Sendable {
    /// The size in bytes of the kernel's send buffer of a connection. The buffer is small because frames in it are
    /// stale by the time a slow reader gets them. On a TCP connection the kernel chooses the size from the first
    /// message of more than 256 KiB on.
    public var sendBytes = 128 << 10
    /// The number of unsent bytes in the kernel (TCP_NOTSENT_LOWAT), beyond the bytes that TCP has in flight, at which
    /// the server asks the handler for the next message. After a large message the server asks when an eighth of this
    /// message is unsent, if that is more.
    public var unsentLowWaterBytes = 64 << 10
    /// The size in bytes of the kernel's receive buffer of a TCP connection. A client can fill this buffer before the
    /// server reads any of it.
    public var receiveBytes = 128 << 10
    /// The bytes of a call's requests that a client may send before the handler asks for the next request. A new call
    /// may have sent as many bytes before the server knows that the call's requests are large.
    public var readAheadBytes = 128 << 10
    /// The largest number of bytes that the server reads from a connection at a time. gRPC decodes all bytes that it
    /// has read, even when the server cuts the connection meanwhile.
    public var readBytes = 8 << 10
  }
}

/// The budget of one TCP connection: the calls that it may open, and the bytes that it may send beside messages, such
/// as pings, settings and resets.
///
/// A call beyond ``callsAtOnce`` fails with `RESOURCE_EXHAUSTED` `TOO_MANY_CALLS`, and the server cuts a connection
/// that opens twice as many. The server also cuts a connection that sends more than ``bytesAtOnce``. The bytes of a
/// request count until the request is complete, so the server allows more bytes as long as they can be an incomplete
/// request.
public struct ConnectionBudget: Hashable, Sendable {
  /// The number of calls that a client may open at once. Not limited when ``callsPerSecond`` is 0.
  public var callsAtOnce = 2500
  /// The number of further calls that a client may open each second. 0 means any number of calls.
  public var callsPerSecond = 200
  /// The bytes that a client may send at once, beside complete messages, 2 KiB or the metadata of each call, 64 bytes
  /// for each response, and one byte for each 256 bytes that the client acknowledged.
  public var bytesAtOnce = 16 << 10
  /// The number of further bytes that a client may send each second.
  public var bytesPerSecond = 1 << 10

  /// Makes the default budget, which honest clients never use up. The arithmetic is in docs/limits.md.
  public init() {}
}
