internal import CaptureCore

extension DeviceRegistry {
  /// Claims the camera of an input for a session like ``claim(_:for:)``. A derived input has no device to claim.
  nonisolated func claim(_ input: ResolvedConfiguration.Input, for session: String) throws(CaptureError) {
    if let device = input.deviceID { try claim(device, for: session) }
  }
}
