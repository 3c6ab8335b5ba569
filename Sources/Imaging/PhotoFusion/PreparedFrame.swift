internal import CPhotoFusion
internal import CaptureCore
internal import Imaging

/// A frame made ready to be merged: its planes with a border, and a pyramid of its luma. Immutable once made.
///
/// The border spares every loop the question whether it is still inside.
final class PreparedFrame {
  let shape: Shape
  private let memory: FrameBuffer
  /// What it was made of. Weak, so that the camera gets its memory back.
  private weak var source: FrameBuffer?
  private let sourceLayout: FrameLayout

  /// - Throws: `formatNotSupported`, `processingFailed` when the picture's bytes are not what its layout says,
  ///   `frameDamaged` when its JPEG is damaged, `outOfBuffers`.
  init(_ picture: Picture, pool: FramePool, converter: PictureConverter) throws(CaptureError) {
    source = picture.buffer
    sourceLayout = picture.layout
    // First of all, because it refuses sizes that cannot be.
    let planar = try converter.convert(
      picture, to: Shape.pixelFormat(of: picture.layout), range: picture.layout.pixelFormat.isYCbCr ? nil : .full)
    let shape = Shape(picture.layout)
    self.shape = shape
    guard let target = pool.take(shape.byteCount) else {
      throw CaptureError(
        .outOfBuffers, "No \(shape.byteCount) bytes are left in the frame pool.",
        metadata: ["bytes": "\(shape.byteCount)"])
    }
    let base = target.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
    planar.buffer.withUnsafeBytes { bytes in
      let start = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      for (plane, place) in zip(planar.layout.planes, shape.planes) {
        cfusion_copy(
          start + plane.offset, plane.stride, Int32(place.size.width), Int32(place.size.height), base + place.origin,
          place.stride, Int32(place.border.width), Int32(place.border.height))
      }
    }
    var above = shape.planes[0].plane(base)
    for level in shape.levels {
      cfusion_halve(above, base + level.origin, level.stride)
      above = level.plane(base)
    }
    memory = target.freeze(count: shape.byteCount)
  }

  /// Whether it was made of `picture`.
  func isMade(of picture: Picture) -> Bool { source === picture.buffer && sourceLayout == picture.layout }

  /// Whether what it was made of is gone, so that nobody can ask for it again.
  var isStale: Bool { source == nil }

  /// Luma, then chroma where there is any. Valid as long as this object.
  var planes: cfusion_frame {
    let planes = shape.planes.map { $0.plane(base) }
    let none = cfusion_plane()
    return cfusion_frame(
      luma: planes[0], u: planes.count > 1 ? planes[1] : none, v: planes.count > 1 ? planes[2] : none)
  }

  /// The pyramid of luma below full size, the largest first.
  var levels: [cfusion_plane] { shape.levels.map { $0.plane(base) } }

  private var base: UnsafePointer<UInt8> {
    memory.withUnsafeBytes { $0.baseAddress!.assumingMemoryBound(to: UInt8.self) }
  }
}

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
