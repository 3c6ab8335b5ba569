/// The direction in which the camera looks, as the user of the machine sees it (`V4L2_CID_CAMERA_ORIENTATION`).
public enum DevicePosition: Hashable, Sendable {
  case unspecified, front, back
}
