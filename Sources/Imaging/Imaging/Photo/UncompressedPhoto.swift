public import CaptureCore

/// Makes uncompressed photos, in the camera's own format. What a camera compressed itself becomes NV12. Thread-bound.
public final class UncompressedPhoto {
  private let pool: FramePool
  private let converter: PictureConverter

  /// - Parameter pool: where photos get their memory.
  public init(pool: FramePool) {
    self.pool = pool
    converter = PictureConverter(pool: pool)
  }

  /// - Parameter own: the camera's format, which a picture made of several frames need not have; nil for the picture's.
  /// - Returns: a picture in memory of the pool, without padding between lines or planes.
  /// - Throws: what ``PictureConverter`` throws.
  public func make(
    _ picture: Picture, as own: PixelFormat? = nil, orientation: Orientation
  ) throws(CaptureError) -> Picture {
    let own = own ?? picture.layout.pixelFormat
    let format = own.isJPEG ? .nv12 : own
    if format == picture.layout.pixelFormat, orientation == .asCaptured { return try packed(picture) }
    return try converter.convert(picture, to: format, orientation: orientation)
  }

  /// The copy also gives the camera its memory back: photos are kept for long.
  private func packed(_ picture: Picture) throws(CaptureError) -> Picture {
    try picture.validate()
    let from = picture.layout
    guard
      let layout = FrameLayout.packed(
        from.pixelFormat, from.size, range: from.range, matrix: from.matrix, transfer: from.transfer)
    else {
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
