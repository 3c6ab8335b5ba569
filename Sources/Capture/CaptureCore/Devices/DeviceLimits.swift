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

/// How a camera hangs on its USB bus.
public struct USBLink: Hashable, Sendable {
  /// As `lsusb` numbers it. Cameras with the same number share its bandwidth.
  public var bus: Int
  /// Signalling rate in megabits per second: 12, 480, 5000…
  public var megabitsPerSecond: Double
  /// What the camera can reserve, bytes per second, smallest first: one for each isochronous alternate setting of its
  /// video streaming interfaces. Empty for cameras that send in bulk, which reserve nothing.
  public var isochronousSettings: [Int]

  public init(bus: Int, megabitsPerSecond: Double, isochronousSettings: [Int]) {
    self.bus = bus
    self.megabitsPerSecond = megabitsPerSecond
    self.isochronousSettings = isochronousSettings
  }
}
