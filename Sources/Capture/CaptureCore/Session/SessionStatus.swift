/// A session's state and its cause. Outputs pass it on to their readers, so that a viewer of a frozen picture learns
/// the reason.
public struct SessionStatus: Hashable, Sendable {
  /// The stage in the session's life.
  public var state: SessionState
  /// Why the session is interrupted; nil unless `state` is `interrupted`.
  public var interruption: InterruptionReason?
  /// Whether the camera takes a photo that is larger than its frames (a still), so that for a moment no frames come.
  public var isTakingStill = false
  /// Whether the camera is one of several and opens with deferred start, which has not run.
  public var awaitsDeferredStart = false

  /// Creates the status of a session that takes no still.
  ///
  /// - Parameter interruption: nil unless `state` is `interrupted`.
  public init(_ state: SessionState, interruption: InterruptionReason? = nil) {
    self.state = state
    self.interruption = interruption
  }
}

/// The stages in the life of a session.
public enum SessionState: Hashable, Sendable {
  case stopped, starting, running, stopping
  /// The session wants to run and cannot; it resumes by itself when the cause is gone.
  case interrupted
}

/// Why a session that wants to run does not run.
public enum InterruptionReason: Hashable, Sendable {
  case deviceDisconnected
  case deviceInUse
  /// The machine or the camera must rest, or the kernel is about to switch the machine off.
  case systemPressure
  /// The camera is connected and brings no frames, or does not answer.
  case deviceStalled
  /// The machine is about to be suspended, or was suspended.
  case systemSuspend
}

extension InterruptionReason {
  /// The reason's name in the contract, without the prefix `INTERRUPTION_REASON_`.
  public var name: String {
    switch self {
    case .deviceDisconnected: "DEVICE_DISCONNECTED"
    case .deviceInUse: "DEVICE_IN_USE"
    case .systemPressure: "SYSTEM_PRESSURE"
    case .deviceStalled: "DEVICE_STALLED"
    case .systemSuspend: "SYSTEM_SUSPEND"
    }
  }

  /// The reason in words for people.
  public var text: String {
    switch self {
    case .deviceDisconnected: "device disconnected"
    case .deviceInUse: "device in use"
    case .systemPressure: "system pressure"
    case .deviceStalled: "device stalled"
    case .systemSuspend: "system suspend"
    }
  }
}
