public import CaptureCore

/// Makes uncompressed photos in the camera's own format; a picture that the camera compressed becomes NV12. A picture
/// that was made of several frames of wide grey has eight bits a sample, and stays grey of eight bits. Thread-bound:
/// only one thread may use an instance.
public final class UncompressedPhoto {
  private let pool: FramePool
  private let converter: PictureConverter

  /// - Parameter pool: The pool from which photos take their memory.
  public init(pool: FramePool) {
    self.pool = pool
    converter = PictureConverter(pool: pool)
  }

  /// Makes an uncompressed photo of `picture`.
  ///
  /// - Parameters:
  ///   - own: The format of the camera, from which a picture made of several frames may differ; nil for the picture's
  ///     format.
  ///   - orientation: How the photo is turned.
  /// - Returns: A picture in memory of the pool, without padding between lines or planes.
  /// - Throws: The errors of ``PictureConverter``.
  public func make(
    _ picture: Picture, as own: PixelFormat? = nil, orientation: Orientation
  ) throws(CaptureError) -> Picture {
    let own = own ?? picture.layout.pixelFormat
    let isMerged = own != picture.layout.pixelFormat
    let format: PixelFormat = own.isJPEG ? .nv12 : own.isWideGrey && isMerged ? .grey : own
    if format == picture.layout.pixelFormat, orientation == .asCaptured { return try packed(picture) }
    return try converter.convert(picture, to: format, orientation: orientation)
  }

  /// Copies `picture` without padding. The copy also returns the camera's memory to its pool; clients keep photos for
  /// long.
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
