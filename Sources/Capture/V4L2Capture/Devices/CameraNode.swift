internal import CV4L2
internal import CaptureCore

/// A node that is a camera, and all that is known of it.
struct CameraNode: Hashable {
  var path: String
  var interface: CaptureInterface
  var capability: NodeCapability
  /// Nil without sysfs.
  var hardware: Hardware?
  var formats: [DeviceFormat]
  /// `V4L2_CID_CAMERA_ORIENTATION`: 0 front, 1 back, 2 external.
  var orientation: Int32?
  /// Why it may not be opened; nil when it may. Then there are no formats.
  var refusal: AccessRefusal?
}
