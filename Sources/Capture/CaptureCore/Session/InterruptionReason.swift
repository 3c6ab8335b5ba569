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
