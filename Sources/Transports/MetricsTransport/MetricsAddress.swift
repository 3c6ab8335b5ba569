/// The TCP address at which the daemon serves metrics.
public struct MetricsAddress: Hashable, Sendable, CustomStringConvertible {
  /// The name or the IP address of the host. An IPv6 address has no brackets here.
  public var host: String
  /// The port, 0 to 65535. With 0 the kernel picks a free port.
  public var port: Int

  init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Reads an address. Nil when `text` is not an address in one of the two forms.
  ///
  /// - Parameter text: `host:port`, or `[v6]:port` with an IPv6 address in the brackets.
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

  /// The address in the form that ``init(_:)`` reads.
  public var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
