internal import CaptureCore

/// A camera as clients know it, and the node to open for it.
struct Camera: Hashable {
  var device: Device
  var path: String
  var interface: CaptureInterface
  /// Where it is in sysfs; nil without sysfs.
  var place: Hardware?
  /// What tells it from others, whatever it is called.
  var identity: DeviceIdentity
  var hardware: CameraIdentity
  var naming: DeviceDirectory.Naming
}
