/// A camera as clients see it: its names, its place and the formats that it can deliver. The value holds nothing open.
public struct Device: Hashable, Sendable {
  /// The camera's id, for example `046d-0825-a1b2c3`. The id stays the same when the camera is plugged in again and
  /// when the machine restarts, and is never a `/dev/videoN` number; the operator may choose another id. An id has at
  /// most 63 characters: lower-case letters, digits, `-`, `.` and `_`.
  public var id: String
  /// The camera's name as the driver gives it, for people.
  public var displayName: String
  /// The name that the operator gave the camera, for people; empty when the operator gave none.
  public var label: String
  /// Whether the camera is built in, plugged in, or made of software.
  public var type: DeviceType
  /// The direction in which the camera looks.
  public var position: DevicePosition
  /// The clockwise rotation that makes the camera's pictures upright. An output uses it unless its configuration asks
  /// for another rotation.
  public var mountingRotation: Orientation.Rotation
  /// The name of the kernel driver; `"synthetic"` for a synthetic camera.
  public var driver: String
  /// Where the camera is attached, for example `usb-0000:00:14.0-1`.
  public var location: String
  /// The formats that the camera can deliver, in the driver's order of preference; empty while ``unavailable`` is set.
  public var formats: [DeviceFormat]
  /// The limits that the camera's hardware sets on what it can deliver.
  public var limits: DeviceLimits
  /// Why the camera cannot be used although it is present; nil for a camera that can be used. Every call that needs the
  /// camera open answers with this error. While it is set, ``formats`` is empty.
  public var unavailable: CaptureError?

  /// Creates the description of a camera. By default, the camera has no label and no known position or limits, is
  /// mounted upright, and can be used.
  ///
  /// - Parameters: as the properties of the same names.
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
