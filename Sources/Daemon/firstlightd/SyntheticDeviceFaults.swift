internal import AudioCapture
internal import CaptureCore
internal import FirstlightServices
internal import SyntheticCapture

/// The faults of all synthetic devices.
struct SyntheticDeviceFaults: Sendable {
  /// Nil when the daemon has no synthetic camera.
  let cameras: SyntheticFaults?
  /// Nil when the daemon has no synthetic microphone.
  let microphones: SyntheticMicrophoneFaults?

  /// Whether the daemon has no synthetic device.
  var isEmpty: Bool { cameras == nil && microphones == nil }

  /// Injects the fault that an operator asked for.
  ///
  /// - Throws: `deviceNotFound` when `deviceID` is not a synthetic device; `invalidArgument` for a fault that only the
  ///   other kind of device can have.
  func inject(_ fault: InjectedFault, into deviceID: String) async throws {
    // The device decides whose fault it is, because a camera and a microphone share some faults and not others.
    if let microphones, cameras == nil || microphones.has(deviceID) {
      return try microphones.inject(fault, into: deviceID)
    }
    try await cameras?.inject(fault, into: deviceID)
  }
}

extension SyntheticFaults {
  /// Injects the fault that an operator asked for.
  ///
  /// - Throws: `deviceNotFound` when `deviceID` is not a synthetic camera.
  func inject(_ fault: InjectedFault, into deviceID: String) async throws {
    switch fault {
    case .unplug: try unplug(deviceID)
    case .replug: try replug(deviceID)
    case .stall(let nanoseconds): try stall(deviceID, for: .nanoseconds(nanoseconds))
    case .late(let nanoseconds): try late(deviceID, by: .nanoseconds(nanoseconds))
    case .drop(let frames): try drop(deviceID, frames: frames)
    case .corrupt(let frames): try corrupt(deviceID, frames: frames)
    case .startLatency(let nanoseconds): try slowStart(deviceID, by: .nanoseconds(nanoseconds))
    case .outputInitDelay(let nanoseconds, let output):
      try slowOutputs(deviceID, by: .nanoseconds(nanoseconds), output: output)
    case .settling(let frames): try settle(deviceID, over: frames)
    case .loseSound, .cardClock: throw CaptureError.unfit(fault: "lose_sound and card_clock", for: deviceID)
    }
  }
}

extension SyntheticMicrophoneFaults {
  /// Injects the fault that an operator asked for.
  ///
  /// - Throws: `deviceNotFound` when `deviceID` is not a synthetic microphone; `invalidArgument` for the fault of a
  ///   camera.
  func inject(_ fault: InjectedFault, into deviceID: String) throws(CaptureError) {
    switch fault {
    case .unplug: try unplug(deviceID)
    case .replug: try replug(deviceID)
    case .stall(let nanoseconds): try stall(deviceID, for: .nanoseconds(nanoseconds))
    case .loseSound(let nanoseconds, let suspended):
      try lose(deviceID, suspended ? .suspended : .overrun, for: .nanoseconds(nanoseconds))
    case .cardClock(let millionths): try drift(deviceID, by: Double(millionths))
    case .late, .drop, .corrupt, .startLatency, .outputInitDelay, .settling:
      throw CaptureError.unfit(fault: "frames and outputs", for: deviceID)
    }
  }
}

extension CaptureError {
  fileprivate static func unfit(fault: String, for deviceID: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "\(deviceID) cannot have a fault of \(fault); choose a fault that InjectFault has for it.",
      metadata: ["device": deviceID], field: "fault")
  }
}
