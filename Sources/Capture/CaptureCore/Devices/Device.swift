/// What kind of camera a device is, in the vocabulary of capture discovery.
public enum DeviceType: String, Hashable, Sendable, CaseIterable {
  /// Fixed to the machine: a CSI or platform camera.
  case builtInWideAngle
  /// Plugged in, as USB cameras are.
  case external
  /// Made by software inside the daemon.
  case synthetic
}

/// Where the camera looks, seen from the machine's user (`V4L2_CID_CAMERA_ORIENTATION`).
public enum DevicePosition: Hashable, Sendable {
  case unspecified, front, back
}

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

/// One thing a device can deliver: a pixel format, the size or sizes, and how fast.
public struct DeviceFormat: Hashable, Sendable {
  /// One size, or a range of them.
  public enum FrameSize: Hashable, Sendable {
    case discrete(Size)
    case range(SizeRange)
  }

  /// What the driver delivers on the wire or bus.
  public var pixelFormat: PixelFormat
  /// The driver's description, for people.
  public var description: String
  public var frameSize: FrameSize
  public var frameDurations: FrameDurations
  /// Whether groups of sensor pixels are combined. Nil when the device does not tell, as UVC does not.
  public var isBinned: Bool?
  /// What frames carry, when it is not `pixelFormat`: planes that the driver spreads over several buffers (NM12) are
  /// joined in the copy, and what Firstlight's own libraries cannot read goes through libv4lconvert. Else nil.
  public var convertedTo: PixelFormat?

  public init(
    pixelFormat: PixelFormat, description: String, frameSize: FrameSize, frameDurations: FrameDurations,
    isBinned: Bool? = nil, convertedTo: PixelFormat? = nil
  ) {
    self.pixelFormat = pixelFormat
    self.description = description
    self.frameSize = frameSize
    self.frameDurations = frameDurations
    self.isBinned = isBinned
    self.convertedTo = convertedTo
  }

  /// The largest size this format can deliver.
  public var largestSize: Size {
    switch frameSize {
    case .discrete(let only): only
    case .range(let range): range.maximum
    }
  }

  /// Whether photos are as good as the size allows: no pixels are combined for it. Devices that do not tell of binning, as
  /// UVC does not, are taken not to bin.
  public var supportsHighestPhotoQuality: Bool { isBinned != true }

  /// Whether this format can deliver exactly `size`.
  public func supports(_ size: Size) -> Bool {
    switch frameSize {
    case .discrete(let only): only == size
    case .range(let range): range.contains(size)
    }
  }
}
