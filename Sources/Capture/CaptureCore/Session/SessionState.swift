/// Where a capture session is in its life.
public enum SessionState: Hashable, Sendable {
  case stopped, starting, running, stopping
  /// Wants to run and will, by itself, when the cause is gone.
  case interrupted
}

/// Why a session that wants to run does not.
public enum InterruptionReason: Hashable, Sendable {
  case deviceDisconnected
  case deviceInUse
  /// The machine or the camera must rest, or the kernel switches the machine off.
  case systemPressure
  /// The camera is connected and brings no frames, or does not answer.
  case deviceStalled
  /// The machine is about to be suspended, or was.
  case systemSuspend
}

extension InterruptionReason {
  /// As in the contract, after `INTERRUPTION_REASON_`.
  public var name: String {
    switch self {
    case .deviceDisconnected: "DEVICE_DISCONNECTED"
    case .deviceInUse: "DEVICE_IN_USE"
    case .systemPressure: "SYSTEM_PRESSURE"
    case .deviceStalled: "DEVICE_STALLED"
    case .systemSuspend: "SYSTEM_SUSPEND"
    }
  }

  /// For people.
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

/// A session's state with its cause, as outputs tell it to their readers: a frozen picture explains itself.
public struct SessionStatus: Hashable, Sendable {
  public var state: SessionState
  /// Set only while `state` is `interrupted`.
  public var interruption: InterruptionReason?
  /// Whether the camera takes a photo larger than its frames, so that none come for a moment.
  public var isTakingStill = false

  public init(_ state: SessionState, interruption: InterruptionReason? = nil) {
    self.state = state
    self.interruption = interruption
  }
}
