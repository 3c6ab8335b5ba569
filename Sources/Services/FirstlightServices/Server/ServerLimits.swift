/// The limits of the transports that GetServerInfo tells clients.
public struct ServerLimits: Sendable {
  /// The largest request, in bytes, of a method with large requests. A longer request is refused.
  public var maximumRequestBytes: Int
  /// The largest request, in bytes, of any other method. A longer request is refused.
  public var maximumSmallRequestBytes: Int
  /// The largest number of connections at once.
  public var maximumConnections: Int
  /// The largest number of connections at once from one IPv4 address, or from one IPv6 network of 64 bits.
  public var maximumConnectionsPerAddress: Int
  /// The largest number of calls at once on the server.
  public var maximumCalls: Int
  /// The largest number of calls at once on one connection.
  public var maximumCallsPerConnection: Int
  /// The calls per second that one TCP connection may open on average, besides a burst of calls at once. 0 sets no
  /// limit.
  public var maximumCallsPerSecond: Int

  /// Makes limits from their values; the properties have the units.
  public init(
    maximumRequestBytes: Int, maximumSmallRequestBytes: Int, maximumConnections: Int, maximumConnectionsPerAddress: Int,
    maximumCalls: Int, maximumCallsPerConnection: Int, maximumCallsPerSecond: Int
  ) {
    self.maximumRequestBytes = maximumRequestBytes
    self.maximumSmallRequestBytes = maximumSmallRequestBytes
    self.maximumConnections = maximumConnections
    self.maximumConnectionsPerAddress = maximumConnectionsPerAddress
    self.maximumCalls = maximumCalls
    self.maximumCallsPerConnection = maximumCallsPerConnection
    self.maximumCallsPerSecond = maximumCallsPerSecond
  }
}
