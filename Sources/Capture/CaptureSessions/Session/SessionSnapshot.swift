public import CaptureCore

/// A session as clients see it.
public struct SessionSnapshot: Hashable, Sendable {
  /// The session's id.
  public var id: String
  /// The state of the session, and why it is interrupted.
  public var status: SessionStatus
  /// Whether the session starts on demand.
  public var isOnDemand: Bool
  /// The etag of the committed configuration.
  public var etag: String
  /// The configuration that the client asked for.
  public var configuration: SessionConfiguration
  /// The configuration with every default filled in.
  public var resolved: ResolvedConfiguration
  /// The number of commits so far.
  public var revision: UInt64
  /// The id of the newest event that this snapshot reflects.
  public var eventID: UInt64
  /// The cost of the configuration now. It depends on the cameras of other sessions on the same bus.
  public var cost: ConfigurationCost
  /// What each input does, in the order of the configuration.
  public var inputStatus: [InputStatus]
  /// The steps that are in force, in the ladder's order.
  public var adaptationSteps: [AdaptationStep]
}

extension SessionSnapshot {
  /// - Parameter configuration: the session's own, or one that it would have after a commit.
  init(of session: isolated CaptureSession, with configuration: CommittedConfiguration) {
    id = session.id
    status = session.status
    isOnDemand = session.port.viewers.idleTimeout != nil
    etag = session.committed.etag
    self.configuration = configuration.asked
    resolved = configuration.resolved
    revision = session.committed.revision
    eventID = session.events.lastID
    cost = session.devices.cost(of: configuration.demand, of: configuration.resolved, in: session.id)
    inputStatus =
      zip(configuration.slots.used, configuration.resolved.inputs).map { slot, input in
        session.pipelines[slot].inputStatus(
          of: input, in: session.status.state, isAlone: configuration.resolved.inputs.count < 2)
      } + configuration.resolved.microphones.map { session.microphones.status(of: $0) }
    // The steps of a camera are the first ones of the ladder, so the longest list has all of them.
    adaptationSteps = session.pipelines.map(\.adaptation.applied).max { $0.count < $1.count } ?? []
  }
}

/// The result of a commit, or of validating one.
public struct CommitResult: Sendable {
  /// The session after the commit, or as it would be after a commit.
  public var snapshot: SessionSnapshot
  /// Every issue with the configuration. Always empty after a commit, because issues prevent it.
  public var issues: [CaptureError]
  /// Whether the commit restarted the device or changed what photos are made with.
  public var reconfigured: Bool
}

/// Counts what the camera of an input has brought since the input was added.
public struct CameraCounts: Hashable, Sendable {
  /// Frames.
  public var frames: UInt64 = 0
  /// Frames that were lost before them.
  public var lost = DropCounts()
  /// Damaged pictures. They are counted when they come, and in ``lost`` with the next frame.
  public var damagedPictures: UInt64 = 0

  /// Creates counts of nothing.
  public init() {}

  mutating func note(_ frame: Frame) {
    frames += 1
    lost += frame.missing
  }
}

/// The counts of one camera of a session.
public struct CameraFigures: Hashable, Sendable {
  /// The id of the input.
  public var input: String
  /// The frames that the camera has brought, and those that were lost.
  public var counts: CameraCounts
  /// The number of steps of the adaptation ladder that are in force for the camera.
  public var adaptationSteps: Int
}
