internal import CPhotoFusion
internal import CaptureCore
internal import Imaging

/// Where the planes of a prepared frame lie.
struct Shape: Hashable {
  struct Place: Hashable {
    /// Of its first sample, inside the border.
    var origin: Int
    var stride: Int
    var size: Size
    /// Samples beside and above.
    var border: Size

    func plane(_ base: UnsafePointer<UInt8>) -> cfusion_plane {
      cfusion_plane(
        origin: base + origin, stride: stride, width: Int32(size.width), height: Int32(size.height))
    }
  }

  let size: Size
  /// What frames are converted to, and what becomes of them.
  let pixelFormat: PixelFormat
  let planes: [Place]
  let levels: [Place]
  let byteCount: Int

  init(_ layout: FrameLayout) {
    size = layout.size
    var end = 0
    func place(_ size: Size, border: Size) -> Place {
      let stride = (size.width + 2 * border.width + 63) & ~63
      defer { end += stride * (size.height + 2 * border.height) }
      return Place(origin: end + border.height * stride + border.width, stride: stride, size: size, border: border)
    }
    let (border, half) = (Int(CFUSION_BORDER), Int(CFUSION_BORDER) / 2)
    let columns = (size.width + 1) / 2
    var planes = [place(size, border: Size(width: border, height: border))]
    pixelFormat = Self.pixelFormat(of: layout)
    switch pixelFormat {
    case .grey: break
    case .yuv422p:
      for _ in 0..<2 {
        planes.append(place(Size(width: columns, height: size.height), border: Size(width: half, height: border)))
      }
    default:
      for _ in 0..<2 {
        let chroma = Size(width: columns, height: (size.height + 1) / 2)
        planes.append(place(chroma, border: Size(width: half, height: half)))
      }
    }
    self.planes = planes
    var levels: [Place] = []
    var level = Size(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    // A sixteenth is enough: there, one sample of 1080p is 16, and the search begins with 4 of them.
    while levels.count < 4, min(level.width, level.height) >= 24 {
      let margin = Int(CFUSION_LEVEL_BORDER)
      levels.append(place(level, border: Size(width: margin, height: margin)))
      level = Size(width: (level.width + 1) / 2, height: (level.height + 1) / 2)
    }
    self.levels = levels
    byteCount = end
  }

  static func pixelFormat(of layout: FrameLayout) -> PixelFormat {
    switch layout.pixelFormat {
    case .grey: .grey
    case .yuyv, .uyvy, .yuv422p: .yuv422p
    default: .yuv420
    }
  }
}
