internal import CaptureCore
internal import Imaging

/// Turns a camera's picture into one that readers get. Thread-bound, as codecs are.
typealias EncodePicture = (Picture, EncodingKey) throws(CaptureError) -> Picture

/// Makes an encoder on the thread that will use it, with the memory its pictures come from.
typealias MakePictureEncoder = @Sendable (FramePool) -> EncodePicture

enum PictureEncoding {
  /// The real encoder: scales and turns, then compresses, decompresses or converts.
  static let make: MakePictureEncoder = { pool in
    let jpeg = JPEGEncoder(pool: pool)
    let converter = PictureConverter(pool: pool)
    return { (picture, key) throws(CaptureError) in
      if key.format == .jpeg {
        return try jpeg.encode(picture, quality: key.quality, size: key.size, orientation: key.orientation)
      }
      let isInRange = key.range == nil || key.range == picture.layout.range
      let isUntouched = picture.layout.size == key.size && key.orientation == .asCaptured && isInRange
      if isUntouched, picture.layout.pixelFormat == key.format { return try packed(picture, pool: pool) }
      return try converter.convert(
        picture, to: key.format, size: key.size, orientation: key.orientation, range: key.range)
    }
  }

  /// The same picture without padding between lines and planes, which readers of raw pictures expect.
  static func packed(_ picture: Picture, pool: FramePool) throws(CaptureError) -> Picture {
    let from = picture.layout
    guard
      let layout = FrameLayout.packed(from.pixelFormat, from.size, range: from.range, matrix: from.matrix),
      layout.planes.count == from.planes.count, from.byteCount <= picture.buffer.count
    else {
      throw CaptureError(
        .processingFailed, "A \(from.size) \(from.pixelFormat) picture does not lie in its bytes.",
        metadata: ["size": "\(from.size)", "format": "\(from.pixelFormat)"])
    }
    guard let memory = pool.take(layout.byteCount) else {
      throw CaptureError(
        .outOfBuffers, "No \(layout.byteCount) bytes are left for a picture.",
        metadata: ["bytes": "\(layout.byteCount)"])
    }
    picture.buffer.withUnsafeBytes { bytes in
      for (source, target) in zip(from.planes, layout.planes) {
        let count = min(source.stride, target.stride)
        for row in 0..<min(source.rows, target.rows) {
          let line = UnsafeRawBufferPointer(rebasing: bytes[(source.offset + row * source.stride)...].prefix(count))
          UnsafeMutableRawBufferPointer(rebasing: memory.bytes[(target.offset + row * target.stride)...])
            .copyMemory(from: line)
        }
      }
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }
}
