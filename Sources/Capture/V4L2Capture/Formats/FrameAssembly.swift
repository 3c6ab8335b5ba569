internal import CV4L2
internal import CaptureCore

/// How a driver's format becomes the bytes of a frame.
enum FrameAssembly: Hashable {
  /// The driver's bytes are the frame's.
  case copied
  /// As `copied`, with Motion JPEG's missing parts put in.
  case jpeg
  /// The driver spreads planes over several buffers; the copy joins them to this format.
  case joined(PixelFormat)
  /// libv4lconvert writes planar 4:2:0 in place of the copy.
  case converted

  /// - Returns: nil when nobody can read `format`.
  init?(_ format: PixelFormat) {
    switch format {
    case .mjpeg, .jpeg:
      self = .jpeg
    case .yuyv, .uyvy, .nv12, .nv21, .p010, .yuv420, .yvu420, .yuv422p, .grey, .rgb24, .bgr24, .abgr32, .xbgr32,
      .bgr32:
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

  /// Formats with a buffer for each plane, and the contiguous ones with the same planes in the same order.
  private static let joinedFormats: [String: PixelFormat] = [
    "NM12": .nv12, "NM21": .nv21, "YM12": .yuv420, "YM21": .yvu420, "YM16": .yuv422p,
  ]

  /// What frames of a device that delivers `format` are published as.
  func publishedFormat(of format: PixelFormat) -> PixelFormat {
    switch self {
    case .copied, .jpeg: format
    case .joined(let joined): joined
    case .converted: .yuv420
    }
  }
}
