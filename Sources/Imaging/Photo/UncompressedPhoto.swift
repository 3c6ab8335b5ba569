public import CaptureCore

/// Makes uncompressed photos: the camera's own pixels. What a camera compressed itself becomes NV12. Thread-bound.
public final class UncompressedPhoto {
  private let pool: FramePool
  private let converter: PictureConverter

  /// - Parameter pool: where photos get their memory.
  public init(pool: FramePool) {
    self.pool = pool
    converter = PictureConverter(pool: pool)
  }

  /// - Returns: a picture in memory of the pool, without padding between lines or planes.
  /// - Throws: what ``PictureConverter`` throws.
  public func make(_ picture: Picture, orientation: Orientation) throws(CaptureError) -> Picture {
    let format = picture.layout.pixelFormat
    if format.isJPEG || orientation != .asCaptured {
      return try converter.convert(picture, to: format.isJPEG ? .nv12 : format, orientation: orientation)
    }
    return try packed(picture)
  }

  /// The copy also gives the camera its memory back: photos are kept for long.
  private func packed(_ picture: Picture) throws(CaptureError) -> Picture {
    try picture.validate()
    let from = picture.layout
    guard let layout = FrameLayout.packed(from.pixelFormat, from.size, range: from.range, matrix: from.matrix) else {
      throw .unsupported(from.pixelFormat)
    }
    guard let memory = pool.take(layout.byteCount) else { throw .outOfBuffers(layout.byteCount) }
    let target = memory.bytes.baseAddress!
    picture.buffer.withUnsafeBytes { bytes in
      for (plane, source) in zip(layout.planes, from.planes) {
        for row in 0..<plane.rows {
          (target + plane.offset + plane.stride * row).copyMemory(
            from: bytes.baseAddress! + source.offset + source.stride * row, byteCount: plane.stride)
        }
      }
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }
}
