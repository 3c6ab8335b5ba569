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

extension SessionSnapshot {
  /// - Parameter configuration: the session's own, or one that it would have after a commit.
  init(of session: isolated CaptureSession, with configuration: CommittedConfiguration) {
    id = session.id
    status = session.status
    etag = session.committed.etag
    self.configuration = configuration.asked
    resolved = configuration.resolved
    revision = session.committed.revision
    eventID = session.events.lastID
    cost = session.devices.cost(of: configuration.demand, of: configuration.resolved)
    adaptationSteps = []
    for pipeline in session.pipelines { adaptationSteps += pipeline.adaptation.applied }
  }
}
