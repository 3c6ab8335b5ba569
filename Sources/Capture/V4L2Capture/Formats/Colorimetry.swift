internal import CV4L2
internal import CaptureCore

/// The colour description of a stream's pictures, derived from the driver's colour fields. V4L2 lets a driver leave
/// fields at "default", which the daemon must then derive from the other fields (`V4L2_MAP_YCBCR_ENC_DEFAULT`,
/// `V4L2_MAP_QUANTIZATION_DEFAULT` in `linux/videodev2.h`).
struct Colorimetry: Hashable {
  var range: FrameLayout.Range
  var matrix: FrameLayout.Matrix
  var transfer = FrameLayout.Transfer.standard

  init(range: FrameLayout.Range, matrix: FrameLayout.Matrix, transfer: FrameLayout.Transfer = .standard) {
    self.range = range
    self.matrix = matrix
    self.transfer = transfer
  }

  init(_ format: DriverFormat, _ delivery: FrameAssembly) {
    switch delivery {
    case .jpeg:
      // JFIF fixes range and matrix, and every decoder follows JFIF, whatever the descriptors of a UVC camera say.
      (range, matrix) = (.full, .bt601)
    case .converted where ["PJPG", "JPGL"].contains(format.pixelFormat.fourCC):
      (range, matrix) = (.full, .bt601)
    case .converted where !Self.keepsValues(format.pixelFormat):
      // libv4lconvert converts these formats from RGB to YUV, always with this range and matrix.
      (range, matrix) = (.limited, .bt601)
    case .copied where format.pixelFormat.isWideGrey:
      // The samples are measured values and no colours, whatever the driver says of its colours.
      (range, matrix) = (.full, .bt601)
    case .copied, .joined, .converted, .video:
      matrix = Self.matrix(format)
      range = Self.range(format)
      // No V4L2 colour space implies PQ, so only an explicit transfer function counts. V4L2 cannot express HLG.
      if format.transfer == V4L2_XFER_FUNC_SMPTE2084.rawValue { transfer = .pq }
    }
  }

  private static func matrix(_ format: DriverFormat) -> FrameLayout.Matrix {
    switch format.encoding {
    case V4L2_YCBCR_ENC_601.rawValue, V4L2_YCBCR_ENC_XV601.rawValue, V4L2_YCBCR_ENC_SYCC.rawValue: .bt601
    case V4L2_YCBCR_ENC_BT2020.rawValue: .bt2020
    case V4L2_YCBCR_ENC_DEFAULT.rawValue:
      switch format.colorspace {
      case V4L2_COLORSPACE_BT2020.rawValue: .bt2020
      case V4L2_COLORSPACE_REC709.rawValue, V4L2_COLORSPACE_DCI_P3.rawValue, V4L2_COLORSPACE_SMPTE240M.rawValue:
        .bt709
      default: .bt601
      }
    // The daemon has no matrix for SMPTE 240M, as a colour space above or as an encoding here, or for BT.2020 with
    // constant luminance. It reports them as BT.709, the nearest one.
    default: .bt709
    }
  }

  private static func range(_ format: DriverFormat) -> FrameLayout.Range {
    switch format.quantization {
    case V4L2_QUANTIZATION_FULL_RANGE.rawValue: return .full
    case V4L2_QUANTIZATION_LIM_RANGE.rawValue: return .limited
    default:
      let isRGB = [.rgb24, .bgr24, .abgr32, .xbgr32, .bgr32].contains(format.pixelFormat)
      return isRGB || format.colorspace == V4L2_COLORSPACE_JPEG.rawValue ? .full : .limited
    }
  }

  /// Whether libv4lconvert only moves the samples of `format`, which are luma and chroma already, so that the driver's
  /// colour fields stay valid.
  private static func keepsValues(_ format: PixelFormat) -> Bool {
    [
      "YVYU", "NV16", "NV61", "S501", "S505", "S508", "CITV", "KONI", "S920", "M420", "HM12", "CPIA", "Y04", "Y06",
      "Y10B",
    ].contains(format.fourCC)
  }
}
