internal import CaptureCore

/// A camera as clients know it, and the node that the daemon opens for the camera.
struct Camera: Hashable {
  var device: Device
  var path: String
  var interface: CaptureInterface
  /// The camera's place in sysfs; nil without sysfs.
  var place: Hardware?
  /// The identity that distinguishes the camera from others. The identity does not depend on the id that the operator
  /// chose.
  var identity: DeviceIdentity
  var hardware: CameraIdentity
  var naming: DeviceDirectory.Naming
}
