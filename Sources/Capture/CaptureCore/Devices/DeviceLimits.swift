/// The limits that a camera's hardware sets on how much the camera can deliver. A limit that the hardware does not tell
/// is nil.
public struct DeviceLimits: Hashable, Sendable {
  /// How many pixels per second the sensor can read out at most, as the hardware states it; nil when the hardware does
  /// not state it.
  public var sensorReadout: Double?
  /// The camera's link to its USB bus; nil for a camera that is not on USB.
  public var usb: USBLink?

  /// Creates the limits of a camera.
  ///
  /// - Parameters:
  ///   - sensorReadout: pixels per second; nil when the hardware does not state it.
  ///   - usb: nil for a camera that is not on USB.
  public init(sensorReadout: Double? = nil, usb: USBLink? = nil) {
    self.sensorReadout = sensorReadout
    self.usb = usb
  }
}
