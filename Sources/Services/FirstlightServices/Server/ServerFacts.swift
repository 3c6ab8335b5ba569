internal import CaptureCore

/// The facts that the daemon tells clients about itself, in GetServerInfo.
public struct ServerFacts: Sendable {
  /// The daemon's version.
  public var version: String
  /// The kernel's boot ID, which changes with each boot of the machine.
  public var bootID: String
  /// The random name of this run of the daemon. No other run has the same name.
  public var instanceID = RandomToken.make()
  /// The limits that the transports set for clients.
  public var server: ServerLimits
  /// Whether the daemon tries the machine's hardware encoders for video before others.
  public var usesHardwareEncoders: Bool
  /// How long automatic deferred start waits for readers: after this time from the camera's first frame it runs even if
  /// no reader has taken a frame.
  public var deferredStartLimit: Duration

  /// Makes the facts of this run of the daemon, with a new ``instanceID``.
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
