/// Where the camera looks, seen from the machine's user (`V4L2_CID_CAMERA_ORIENTATION`).
public enum DevicePosition: Hashable, Sendable {
  case unspecified, front, back
}
