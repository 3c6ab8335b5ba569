internal import NIOCore

/// The addresses and the limits of an HTTP server.
public struct HTTPServerConfiguration: Sendable {
  /// The address at which the server listens.
  public var address: HTTPAddress
  /// Host names by which clients may call the server, beside localhost and IP addresses. Nil for every name.
  public var hosts: [String]? = []
  /// The origins whose pages may call the server, beside the server's own, for example `https://photos.example`.
  public var origins: [String] = []
  /// The largest number of connections. A further connection closes the oldest connection that waits for a request, and
  /// is closed itself when all of them have one.
  public var maximumConnections = 1024
  /// The time between two requests of a connection, the time in which a head must come, and the time in which the rest
  /// of a request must come. The server then closes the connection.
  public var idleTime = Duration.seconds(30)
  /// The time after which the server closes a connection, even during a request. Nil for no limit.
  public var maximumConnectionTime: Duration?
  /// Whether a connection may bring further requests after the first one.
  public var keepsConnections = true
  /// The largest request of a method with small requests, in bytes.
  public var maximumSmallRequestBytes = 64 << 10
  /// The largest request of a method with large requests, in bytes.
  public var maximumRequestBytes = 4 << 20
  /// The `ErrorInfo.domain` of errors that have none.
  public var errorDomain = ""
  /// The time for which RPCs may go on after a request to stop.
  public var drainTime = Duration.seconds(3)

  /// Makes a configuration with the standard limits.
  public init(address: HTTPAddress) { self.address = address }
}

/// An address at which an HTTP server listens: a host name or an IP address, and a port.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
  /// The host name or the IP address. An IPv6 address has no brackets here.
  public let host: String
  /// The port. At 0 the kernel picks a free port.
  public let port: Int

  /// Reads an address in the form `host:port`, for example `127.0.0.1:8080`, `localhost:0` or `[::1]:8080`. Nil for
  /// another text.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.host = String(host)
    self.port = Int(port)
  }

  /// The address at which a channel listens.
  init(of channel: any Channel) {
    host = channel.localAddress?.ipAddress ?? ""
    port = channel.localAddress?.port ?? 0
  }

  /// The address in the form that ``init(_:)`` reads.
  public var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
