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
