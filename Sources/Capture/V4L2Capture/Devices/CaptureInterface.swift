internal import CV4L2

/// Which of V4L2's two capture interfaces a node has: single-planar or multi-planar.
enum CaptureInterface: Hashable {
  case singlePlanar, multiPlanar

  var bufferType: UInt32 {
    switch self {
    case .singlePlanar: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    case .multiPlanar: V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.rawValue
    }
  }
}
