internal import CaptureCore

extension DeviceRegistry {
  /// Claims the camera of an input for a session like ``claim(_:for:)``. A composition has no device to claim.
  nonisolated func claim(_ input: ResolvedConfiguration.Input, for session: String) throws(CaptureError) {
    if input.composition == nil { try claim(input.deviceID, for: session) }
  }
}
