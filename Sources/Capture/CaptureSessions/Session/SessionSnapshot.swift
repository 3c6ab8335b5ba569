public import CaptureCore

/// A session as clients see it.
public struct SessionSnapshot: Hashable, Sendable {
  public var id: String
  public var status: SessionStatus
  public var etag: String
  public var configuration: SessionConfiguration
  public var resolved: ResolvedConfiguration
  public var revision: UInt64
  /// The newest event this snapshot includes.
  public var eventID: UInt64
  /// As of now: other sessions' cameras on the same bus count too.
  public var cost: ConfigurationCost
  /// Those in force, in the ladder's order.
  public var adaptationSteps: [AdaptationStep]
}
