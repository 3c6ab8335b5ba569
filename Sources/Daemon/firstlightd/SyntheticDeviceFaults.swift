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
    if let microphones {
      do throws(CaptureError) { return try microphones.inject(fault, into: deviceID) } catch {
        guard error.reason == .deviceNotFound, cameras != nil else { throw error }
      }
    }
    try await cameras?.inject(fault, into: deviceID)
  }
}
