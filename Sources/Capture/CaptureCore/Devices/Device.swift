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

/// The properties that tell a camera from other cameras, whatever the operator calls it.
public struct DeviceIdentity: Hashable, Sendable {
  /// The camera's own id, which the camera is known by unless the operator chooses another id. No two cameras that are
  /// present have the same own id.
  public var id: String
  /// The camera's ``Device/location``. All cameras of one USB device share their location, and so do all cameras of one
  /// capture card.
  public var location: String
  /// Those of ``DeviceDirectory/links`` that lead to one of the camera's nodes.
  public var links: Set<String>

  /// Creates the identity of a camera.
  ///
  /// - Parameters:
  ///   - id: the camera's own id.
  ///   - links: the links of the directory that lead to the camera.
  public init(id: String, location: String, links: Set<String> = []) {
    self.id = id
    self.location = location
    self.links = links
  }
}

/// The kind of a device, in the terms of capture discovery.
public enum DeviceType: String, Hashable, Sendable, CaseIterable {
  /// A camera that is fixed to the machine: a CSI or platform camera.
  case builtInWideAngle
  /// A camera that is plugged in, as USB cameras are.
  case external
  /// A camera that software inside the daemon makes.
  case synthetic
  /// A microphone, or another input of a sound card; also one that software inside the daemon makes.
  case microphone
}

/// The direction in which the camera looks, as the user of the machine sees it (`V4L2_CID_CAMERA_ORIENTATION`).
public enum DevicePosition: Hashable, Sendable {
  case unspecified, front, back
}

/// A camera's link to its USB bus.
public struct USBLink: Hashable, Sendable {
  /// The number of the bus, as `lsusb` shows it. Cameras with the same number share the bandwidth of the bus.
  public var bus: Int
  /// The signalling rate in megabits per second, for example 12, 480 or 5000.
  public var megabitsPerSecond: Double
  /// The bandwidths that the camera can reserve, in bytes per second, the smallest first: one for each isochronous
  /// alternate setting of the camera's video streaming interfaces. Empty for a camera that uses bulk transfers, which
  /// reserve nothing.
  public var isochronousSettings: [Int]

  /// Creates a link.
  ///
  /// - Parameters: as the properties of the same names.
  public init(bus: Int, megabitsPerSecond: Double, isochronousSettings: [Int]) {
    self.bus = bus
    self.megabitsPerSecond = megabitsPerSecond
    self.isochronousSettings = isochronousSettings
  }
}

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

/// One change to the cameras that are present: a camera came, went, or is described differently.
public struct DeviceChange: Hashable, Sendable {
  /// How many changes wait for a slow watcher of a provider, who loses the oldest.
  public static let depth = 64

  /// What happened to the camera.
  public enum Kind: Hashable, Sendable { case connected, disconnected, changed }
  /// What happened to the camera.
  public var kind: Kind
  /// The camera as it is now; for `disconnected`, as it was before it went.
  public var device: Device

  /// Creates the change that `kind` happened to `device`.
  public init(_ kind: Kind, _ device: Device) {
    self.kind = kind
    self.device = device
  }
}
