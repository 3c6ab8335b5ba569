/// What bounds how much a camera can deliver, as far as its hardware tells; nil where it does not.
public struct DeviceLimits: Hashable, Sendable {
  /// Pixels per second that the sensor reads out. A figure of the hardware: more is impossible.
  public var sensorReadout: Double?
  /// Of cameras on USB.
  public var usb: USBLink?

  public init(sensorReadout: Double? = nil, usb: USBLink? = nil) {
    self.sensorReadout = sensorReadout
    self.usb = usb
  }
}
