internal import CPhotoFusion
internal import CaptureCore
internal import Imaging

/// A frame that is ready for merging: its planes with a border, and a pyramid of its luma. Immutable after the
/// initialiser.
///
/// Because of the border, no loop has to check whether a sample still lies within the picture.
final class PreparedFrame {
  let shape: Shape
  private let memory: FrameBuffer
  /// The buffer of the picture that this frame was made of. The reference is weak, so that the camera gets its memory
  /// back.
  private weak var source: FrameBuffer?
  private let sourceLayout: FrameLayout

  /// Prepares `picture`.
  ///
  /// - Throws: `formatNotSupported` for a format that cannot be read, `processingFailed` when the picture's bytes do
  ///   not match its layout, `frameDamaged` when its JPEG is damaged, `outOfBuffers` when memory is used up.
  init(_ picture: Picture, pool: FramePool, converter: PictureConverter) throws(CaptureError) {
    source = picture.buffer
    sourceLayout = picture.layout
    // The conversion comes first, because the converter refuses impossible sizes.
    let planar = try converter.convert(
      picture, to: Shape.pixelFormat(of: picture.layout), range: picture.layout.pixelFormat.isYCbCr ? nil : .full)
    let shape = Shape(picture.layout)
    self.shape = shape
    guard let target = pool.take(shape.byteCount) else {
      throw CaptureError(
        .outOfBuffers, "The frame pool has no \(shape.byteCount) bytes left.",
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

  /// Whether this frame was made of `picture`.
  func isMade(of picture: Picture) -> Bool { source === picture.buffer && sourceLayout == picture.layout }

  /// Whether the picture that this copy was made of is gone, so that no photo can ask for the copy again.
  var isStale: Bool { source == nil }

  /// The planes of luma and, when the frame has chroma, of chroma. They are valid for as long as this object exists.
  var planes: cfusion_frame {
    let planes = shape.planes.map { $0.plane(base) }
    let none = cfusion_plane()
    return cfusion_frame(
      luma: planes[0], u: planes.count > 1 ? planes[1] : none, v: planes.count > 1 ? planes[2] : none)
  }

  /// The levels of the luma pyramid below full size, the largest level first.
  var levels: [cfusion_plane] { shape.levels.map { $0.plane(base) } }

  private var base: UnsafePointer<UInt8> {
    memory.withUnsafeBytes { $0.baseAddress!.assumingMemoryBound(to: UInt8.self) }
  }
}
