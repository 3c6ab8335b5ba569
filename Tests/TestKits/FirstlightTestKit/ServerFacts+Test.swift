internal import FirstlightServices

extension ServerFacts {
  /// The facts of a daemon in a test.
  static let test = ServerFacts(
    version: "1.2.3", bootID: "boot",
    server: ServerLimits(
      maximumRequestBytes: 8 << 20, maximumSmallRequestBytes: 64 << 10, maximumConnections: 3,
      maximumConnectionsPerAddress: 2, maximumCalls: 5, maximumCallsPerConnection: 4, maximumCallsPerSecond: 6),
    usesHardwareEncoders: false, deferredStartLimit: .seconds(1))
}
