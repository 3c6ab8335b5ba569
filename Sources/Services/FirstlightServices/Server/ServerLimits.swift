/// What the transports let clients do, as far as clients are told.
public struct ServerLimits: Sendable {
  /// A longer request of a method with large requests is refused.
  public var maximumRequestBytes: Int
  /// A longer request of any other method is refused.
  public var maximumSmallRequestBytes: Int
  /// Connections at once.
  public var maximumConnections: Int
  /// Connections at once from one address.
  public var maximumConnectionsPerAddress: Int
  /// Calls at once.
  public var maximumCalls: Int
  /// Calls at once on one connection.
  public var maximumCallsPerConnection: Int
  /// Calls that one connection may open each second for a while.
  public var maximumCallsPerSecond: Int

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
