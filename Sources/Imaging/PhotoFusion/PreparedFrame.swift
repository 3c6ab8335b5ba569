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
