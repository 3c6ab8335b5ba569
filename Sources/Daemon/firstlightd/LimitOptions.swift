internal import ArgumentParser

/// The flags that limit how much of the daemon clients may use.
struct LimitOptions: ParsableArguments {
  @Option(help: "The largest request taken, in bytes. (default: 4194304)")
  var maxRequestBytes: Int?
  @Option(help: "The most connections at once. (default: 2048)")
  var maxConnections: Int?
  @Option(help: "The most connections at once from one address. (default: three quarters of all)")
  var maxConnectionsPerAddress: Int?
  @Option(help: "The most calls a second that a connection may open over time; 0 is unlimited. (default: 200)")
  var maxCallsPerSecond: Int?
}
