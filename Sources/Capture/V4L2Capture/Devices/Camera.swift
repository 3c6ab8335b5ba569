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

  /// Whether frames may keep the driver's buffers. uvcvideo makes its pictures in usual memory, and leaves a buffer
  /// alone until it is queued again. On some machines, other drivers have memory that the processor does not cache,
  /// which is slow to read more than once; and v4l2loopback writes into buffers that the daemon has.
  var lendsBuffers: Bool { device.driver == "uvcvideo" }
}
