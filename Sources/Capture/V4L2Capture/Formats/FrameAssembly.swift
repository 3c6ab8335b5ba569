internal import CV4L2
internal import CaptureCore

/// How the daemon makes the bytes of a frame from a driver's buffers.
enum FrameAssembly: Hashable {
  /// The daemon copies the driver's bytes unchanged.
  case copied
  /// The daemon copies the driver's bytes, and inserts the parts that a camera leaves out of Motion JPEG.
  case jpeg
  /// The daemon copies the driver's bytes, and inserts the parameter sets that a camera leaves out of a key frame.
  case video
  /// The driver spreads the planes over several buffers, and the copy joins them to a picture in the associated format.
  case joined(PixelFormat)
  /// libv4lconvert writes planar YUV 4:2:0, which takes the place of the copy.
  case converted

  /// Chooses how to make frames from pictures in `format`.
  ///
  /// - Returns: nil when neither the daemon nor libv4lconvert can read `format`.
  init?(_ format: PixelFormat) {
    switch format {
    case .mjpeg, .jpeg:
      self = .jpeg
    case .h264, .hevc:
      self = .video
    case .yuyv, .uyvy, .nv12, .nv21, .p010, .yuv420, .yvu420, .yuv422p, .grey, .y10, .y12, .y14, .y16, .y16BE,
      .rgb24, .bgr24, .abgr32, .xbgr32, .bgr32:
      self = .copied
    default:
      if let joined = Self.joinedFormats[format.fourCC] {
        self = .joined(joined)
      } else if CV4L2_can_convert(format.rawValue) != 0 {
        self = .converted
      } else {
        return nil
      }
    }
  }

  /// The formats with a separate buffer for each plane, by four-character code, and the contiguous format that has the
  /// same planes in the same order.
  private static let joinedFormats: [String: PixelFormat] = [
    "NM12": .nv12, "NM21": .nv21, "YM12": .yuv420, "YM21": .yvu420, "YM16": .yuv422p,
  ]

  /// The pixel format of published frames when the device delivers `format`.
  func publishedFormat(of format: PixelFormat) -> PixelFormat {
    switch self {
    case .copied, .jpeg, .video: format
    case .joined(let joined): joined
    case .converted: .yuv420
    }
  }
}
