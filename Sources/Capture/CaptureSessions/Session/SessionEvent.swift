public import CaptureCore

/// An event of a session, for its watchers.
public enum SessionEvent: Hashable, Sendable {
  case stateChanged(SessionStatus)
  case configurationCommitted(etag: String, revision: UInt64, reconfigured: Bool)
  /// A camera of the session cannot run. `input` is the id of its input, here and below.
  case wasInterrupted(InterruptionReason, CaptureError, input: String)
  case interruptionEnded(streamID: UInt64, input: String)
  /// `input` is nil for an error that no single camera has.
  case runtimeError(CaptureError, input: String?)
  case willRunDeferredStart(outputs: [String])
  case didRunDeferredStart(outputs: [String])
  /// A step of the launch happened; the timeline contains all steps so far.
  case launchTimeline(LaunchTimeline)
  /// A step of the ladder is in force from now on, because of this level and these causes.
  case adaptationApplied(AdaptationStep, PressureLevel, [PressureCause], input: String)
  /// A step of the ladder is no longer in force, because of this level and these causes.
  case adaptationUndone(AdaptationStep, PressureLevel, [PressureCause], input: String)
  /// The camera begins (true) or ends (false) taking a photo that is larger than its frames. No frames come in between.
  case stillCapture(Bool, input: String)
  /// The first frame of another stream came. The gap is the time between the captures of the former stream's last frame
  /// and of this one.
  case streamChanged(streamID: UInt64, gapNanoseconds: UInt64, input: String)
  /// A lengthy commit begins.
  case reconfigurationStarted
  /// A lengthy commit is over, whether it succeeded or not. The revision is the one in force now.
  case reconfigurationFinished(revision: UInt64)
  /// An input moved to another state: a microphone, or one of several cameras.
  case inputChanged(InputStatus)
  /// Sound of a microphone was lost; there is silence in its place.
  case audioLost(input: String, AudioLoss)
  /// The cost of the present configuration has become known or has changed, without a commit.
  case costChanged(ConfigurationCost)
}

extension SessionEvent: CustomStringConvertible {
  /// A few words for the log. They are written out, because the text that Swift's reflection would make takes
  /// milliseconds on a small machine.
  public var description: String {
    switch self {
    case .stateChanged(let status): status.state.name
    case .configurationCommitted(_, let revision, let reconfigured):
      "configuration \(revision) committed\(reconfigured ? ", reconfigured" : "")"
    case .wasInterrupted(let reason, let error, let input): "\(input) interrupted: \(reason.text): \(error.message)"
    case .interruptionEnded(let streamID, let input): "interruption of \(input) ended, stream \(streamID)"
    case .runtimeError(let error, _): "error: \(error.reason.rawValue): \(error.message)"
    case .willRunDeferredStart(let outputs): "will run deferred start of \(outputs.joined(separator: ", "))"
    case .didRunDeferredStart(let outputs): "did run deferred start of \(outputs.joined(separator: ", "))"
    case .launchTimeline: "launch timeline"
    case .stillCapture(let begins, _): begins ? "still capture started" : "still capture finished"
    case .streamChanged(let streamID, let gap, _): "stream \(streamID) after a gap of \(gap / 1_000_000) ms"
    case .reconfigurationStarted: "reconfiguration started"
    case .reconfigurationFinished(let revision): "reconfiguration finished, configuration \(revision)"
    case .inputChanged(let input): "input \(input.input) \(input.status.state.name)"
    case .audioLost(let input, let loss): "input \(input) lost \(loss.nanoseconds / 1_000_000) ms of sound"
    case .costChanged(let cost): "cost changed: \(cost.hardware) of the hardware"
    // The text of a limit may come from reflection, because nothing waits for these events.
    case .adaptationApplied(let step, _, _, _): "adaptation applied: \(step.limit)"
    case .adaptationUndone(let step, _, _, _): "adaptation undone: \(step.limit)"
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

/// What an input of a session does.
public struct InputStatus: Hashable, Sendable {
  /// The id of the input.
  public var input: String
  /// The id of the camera or microphone; empty for a composition.
  public var deviceID: String
  /// Whether the device runs. A microphone that cannot run does not keep its session from running.
  public var status: SessionStatus
  /// The error that interrupted a microphone, or that interrupted or stopped one of several cameras of a session that
  /// goes on; nil otherwise.
  public var error: CaptureError?

  /// Creates a status.
  ///
  /// - Parameters: as the properties of the same names.
  public init(input: String, deviceID: String, status: SessionStatus, error: CaptureError? = nil) {
    self.input = input
    self.deviceID = deviceID
    self.status = status
    self.error = error
  }
}
