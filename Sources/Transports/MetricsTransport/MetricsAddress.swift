/// Where to serve metrics.
public struct MetricsAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or a number, without brackets.
  public var host: String
  /// 0 for one that is free.
  public var port: Int

  init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// - Parameter text: `host:port` or `[v6]:port`.
  /// - Returns: nil for anything else.
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

  public var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
