internal import CV4L2
internal import CaptureCore

/// A node that belongs to a camera, with everything that the daemon knows about the node.
struct CameraNode: Hashable {
  var path: String
  var interface: CaptureInterface
  var capability: NodeCapability
  /// The hardware behind the node; nil without sysfs.
  var hardware: Hardware?
  /// The formats that the daemon can publish, in the driver's order; empty when the daemon cannot use the node.
  var formats: [DeviceFormat]
  /// The value of `V4L2_CID_CAMERA_ORIENTATION`: 0 front, 1 back, 2 external. Nil when the driver does not have this
  /// control.
  var orientation: Int32?
  /// Why the daemon cannot use the node; nil when it can.
  var refusal: NodeRefusal?
}
