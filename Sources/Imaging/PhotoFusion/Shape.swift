internal import CPhotoFusion
internal import CaptureCore
internal import Imaging

/// The layout of the planes of a prepared frame in memory.
struct Shape: Hashable {
  /// The position of one plane in memory.
  struct Place: Hashable {
    /// The offset in bytes of the plane's first sample, which lies inside the border.
    var origin: Int
    var stride: Int
    var size: Size
    /// The number of border samples: the width on the left and right each, the height above and below each.
    var border: Size

    func plane(_ base: UnsafePointer<UInt8>) -> cfusion_plane {
      cfusion_plane(
        origin: base + origin, stride: stride, width: Int32(size.width), height: Int32(size.height))
    }
  }

  let size: Size
  /// The format to which frames are converted, and which the photo has.
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
    // A level of a sixteenth of the size is small enough: one of its samples covers 16 samples of 1080p, and the search
    // begins with shifts of up to 4 of its samples.
    while levels.count < 4, min(level.width, level.height) >= 24 {
      let margin = Int(CFUSION_LEVEL_BORDER)
      levels.append(place(level, border: Size(width: margin, height: margin)))
      level = Size(width: (level.width + 1) / 2, height: (level.height + 1) / 2)
    }
    self.levels = levels
    byteCount = end
  }

  /// The format to which frames of `layout` are converted: `.grey` for grey, `.yuv422p` for uncompressed 4:2:2, and
  /// `.yuv420` for everything else.
  static func pixelFormat(of layout: FrameLayout) -> PixelFormat {
    switch layout.pixelFormat {
    case _ where layout.pixelFormat.isGrey: .grey
    case .yuyv, .uyvy, .yuv422p: .yuv422p
    default: .yuv420
    }
  }
}
