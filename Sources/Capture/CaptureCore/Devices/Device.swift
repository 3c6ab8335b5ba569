/// A camera as clients see it: what it is and what it can deliver. A value; it holds nothing open.
public struct Device: Hashable, Sendable {
  /// Stable over re-plugging and reboot, for example `046d-0825-a1b2c3`, or chosen by the operator; never a `/dev/videoN`
  /// number. Lower-case letters, digits, `-`, `.` and `_`; at most 63 characters.
  public var id: String
  /// The name for people, as the driver gives it.
  public var displayName: String
  /// The name for people that the operator gave it; empty when there is none.
  public var label: String
  public var type: DeviceType
  public var position: DevicePosition
  /// How pictures are turned so that they are upright: outputs are, where nobody asks for another rotation.
  public var mountingRotation: Orientation.Rotation
  /// Kernel driver, `"synthetic"` for software cameras.
  public var driver: String
  /// Where it is attached, for example `usb-0000:00:14.0-1`.
  public var location: String
  /// In the driver's own order of preference.
  public var formats: [DeviceFormat]
  public var limits: DeviceLimits
  /// Why it cannot be used though it is there, as every call that needs it open answers; nil when it can. Then ``formats``
  /// is empty.
  public var unavailable: CaptureError?

  public init(
    id: String, displayName: String, label: String = "", type: DeviceType, position: DevicePosition = .unspecified,
    mountingRotation: Orientation.Rotation = .none, driver: String, location: String, formats: [DeviceFormat],
    limits: DeviceLimits = DeviceLimits(), unavailable: CaptureError? = nil
  ) {
    self.id = id
    self.displayName = displayName
    self.label = label
    self.type = type
    self.position = position
    self.mountingRotation = mountingRotation
    self.driver = driver
    self.location = location
    self.formats = formats
    self.limits = limits
    self.unavailable = unavailable
  }
}
