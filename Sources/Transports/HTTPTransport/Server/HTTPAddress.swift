internal import NIOCore

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
