public import CaptureCore

/// Something that happened to a session.
public enum SessionEvent: Hashable, Sendable {
  case stateChanged(SessionStatus)
  case configurationCommitted(etag: String, revision: UInt64, reconfigured: Bool)
  case wasInterrupted(InterruptionReason, CaptureError)
  case interruptionEnded(streamID: UInt64)
  case runtimeError(CaptureError)
  case willRunDeferredStart(outputs: [String])
  case didRunDeferredStart(outputs: [String])
  /// A step of the launch happened: the timeline so far.
  case launchTimeline(LaunchTimeline)
  /// A step of the ladder is in force, at this level and for these causes.
  case adaptationApplied(AdaptationStep, PressureLevel, [PressureCause])
  /// A step of the ladder is not in force any more.
  case adaptationUndone(AdaptationStep, PressureLevel, [PressureCause])
}

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

/// Everything that stands against a configuration.
public struct ConfigurationError: Error, Sendable {
  /// Never empty; the first one decides the error's code.
  public var issues: [CaptureError]

  public init(issues: [CaptureError]) { self.issues = issues }
}
