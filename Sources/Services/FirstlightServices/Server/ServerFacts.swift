internal import CaptureCore

/// What a daemon tells clients about itself.
public struct ServerFacts: Sendable {
  /// The daemon's version.
  public var version: String
  /// The kernel's boot ID.
  public var bootID: String
  /// The name of this run of the daemon, which no other run has.
  public var instanceID = RandomToken.make()
  /// What the transports let clients do.
  public var server: ServerLimits
  /// Whether the daemon encodes video by the machine's own encoders if they open.
  public var usesHardwareEncoders: Bool
  /// How long automatic deferred start waits for readers.
  public var deferredStartLimit: Duration

  public init(
    version: String, bootID: String, server: ServerLimits, usesHardwareEncoders: Bool,
    deferredStartLimit: Duration
  ) {
    self.version = version
    self.bootID = bootID
    self.server = server
    self.usesHardwareEncoders = usesHardwareEncoders
    self.deferredStartLimit = deferredStartLimit
  }
}
