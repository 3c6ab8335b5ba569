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
  /// The camera begins or ends to take a photo larger than its frames: none come meanwhile.
  case stillCapture(Bool)
  /// The first frame of another stream came, so long after the former one's last frame, both as captured.
  case streamChanged(streamID: UInt64, gapNanoseconds: UInt64)
  /// A commit begins that takes long.
  case reconfigurationStarted
  /// It is over, taken or not: the revision in force.
  case reconfigurationFinished(revision: UInt64)
  /// The same configuration costs what could not be said before.
  case costChanged(ConfigurationCost)
}

extension SessionEvent: CustomStringConvertible {
  /// A few words for the log. Written out, because what reflection makes of it takes milliseconds on a small machine.
  public var description: String {
    switch self {
    case .stateChanged(let status): status.state.name
    case .configurationCommitted(_, let revision, let reconfigured):
      "configuration \(revision) committed\(reconfigured ? ", reconfigured" : "")"
    case .wasInterrupted(let reason, let error): "interrupted: \(reason.text): \(error.message)"
    case .interruptionEnded(let streamID): "interruption ended, stream \(streamID)"
    case .runtimeError(let error): "error: \(error.reason.rawValue): \(error.message)"
    case .willRunDeferredStart(let outputs): "will run deferred start of \(outputs.joined(separator: ", "))"
    case .didRunDeferredStart(let outputs): "did run deferred start of \(outputs.joined(separator: ", "))"
    case .launchTimeline: "launch timeline"
    case .stillCapture(let begins): begins ? "still capture started" : "still capture finished"
    case .streamChanged(let streamID, let gap): "stream \(streamID) after a gap of \(gap / 1_000_000) ms"
    case .reconfigurationStarted: "reconfiguration started"
    case .reconfigurationFinished(let revision): "reconfiguration finished, configuration \(revision)"
    case .costChanged(let cost): "cost changed: \(cost.hardware) of the hardware"
    // These may reflect: they come when nobody waits.
    case .adaptationApplied(let step, _, _): "adaptation applied: \(step.limit)"
    case .adaptationUndone(let step, _, _): "adaptation undone: \(step.limit)"
    }
  }
}

extension SessionState {
  fileprivate var name: String {
    switch self {
    case .stopped: "stopped"
    case .starting: "starting"
    case .running: "running"
    case .stopping: "stopping"
    case .interrupted: "interrupted"
    }
  }
}
