public import CaptureCore

/// Makes JPEG photos with EXIF and, on request, a thumbnail in that. Thread-bound.
public final class JPEGPhotoEncoder {
  private let pool: FramePool
  private let encoder: JPEGEncoder
  private let thumbnails: JPEGEncoder
  private let reader = JPEGReader()

  /// - Parameter pool: where photos get their memory.
  public init(pool: FramePool) {
    self.pool = pool
    encoder = JPEGEncoder(pool: pool)
    thumbnails = JPEGEncoder(pool: pool)
  }

  /// Encodes `picture`. A camera's own JPEG stays as it is unless it is turned, with this EXIF in place of its own.
  ///
  /// - Parameters:
  ///   - quality: 1 to 100.
  ///   - thumbnail: the most it may measure; nil for none.
  /// - Returns: a picture in memory of the pool, its format `.jpeg`.
  /// - Throws: what ``JPEGEncoder`` throws; `frameDamaged` for a camera's JPEG that is damaged.
  public func encode(
    _ picture: Picture, quality: Int, orientation: Orientation, exif: EXIF, thumbnail: Size?
  ) throws(CaptureError) -> Picture {
    let size = orientation.turned(picture.layout.size)
    var small: [UInt8] = []
    if let thumbnail { small = try shrunk(picture, to: size.fitted(into: thumbnail), orientation) }
    let block = try exif.block(size: size, isJPEG: true, thumbnail: small)
    if picture.layout.pixelFormat.isJPEG, orientation == .asCaptured {
      // Nobody may have decoded it yet, and a photo is looked at when the moment is long gone. Most of decoding an eighth is
      // what finds damage. A thumbnail was made of the whole picture already.
      if small.isEmpty { _ = try reader.planes(picture, atLeast: Size(width: 1, height: 1)) }
      return try kept(picture, with: block)
    }
    return try encoder.encode(picture, quality: quality, orientation: orientation, exif: block)
  }

  /// A thumbnail as EXIF wants it: a JPEG without application data, in the best quality that fits, or smaller when none does:
  /// noise in 512 by 512 does not.
  private func shrunk(_ picture: Picture, to size: Size, _ orientation: Orientation) throws(CaptureError) -> [UInt8] {
    for size in [size, Size(width: max(2, size.width / 2), height: max(2, size.height / 2))] {
      for quality in [80, 60, 40, 20] {
        let jpeg = try thumbnails.encode(picture, quality: quality, size: size, orientation: orientation)
        if jpeg.buffer.count <= EXIF.largestThumbnail { return Self.withoutApplicationData(jpeg) }
      }
    }
    throw CaptureError(
      .processingFailed,
      "A thumbnail of \(size) does not fit into \(EXIF.largestThumbnail) bytes; ask for a smaller one.",
      metadata: ["size": "\(size)", "limit": "\(EXIF.largestThumbnail)"])
  }

  private static func withoutApplicationData(_ jpeg: Picture) -> [UInt8] {
    jpeg.buffer.withUnsafeBytes { bytes in
      let ranges = JPEGSegments.ranges(of: bytes) { marker, _ in marker == JPEGSegments.app0 } ?? []
      return Array(bytes.prefix(2)) + ranges.flatMap { bytes[$0] }
    }
  }

  /// A camera's own JPEG. The copy also gives the camera its memory back: photos are kept for long.
  private func kept(_ picture: Picture, with block: [UInt8]) throws(CaptureError) -> Picture {
    let buffer = try picture.buffer.withUnsafeBytes { bytes throws(CaptureError) in
      guard let ranges = JPEGSegments.ranges(of: bytes, leavingOut: JPEGSegments.isEXIF) else {
        picture.buffer.markDamaged()
        throw CaptureError(.frameDamaged, "The camera's JPEG picture is damaged.")
      }
      let length = block.count + 2
      let head = [0xff, 0xd8, 0xff, JPEGSegments.app1, UInt8(length >> 8), UInt8(length & 0xff)]
      let count = head.count + block.count + ranges.reduce(0) { $0 + $1.count }
      guard let memory = pool.take(count) else { throw .outOfBuffers(count) }
      var target = memory.bytes.baseAddress!
      func append(_ part: UnsafeRawBufferPointer) {
        target.copyMemory(from: part.baseAddress!, byteCount: part.count)
        target += part.count
      }
      head.withUnsafeBytes(append)
      block.withUnsafeBytes(append)
      for range in ranges where !range.isEmpty { append(UnsafeRawBufferPointer(rebasing: bytes[range])) }
      return memory.freeze(count: count)
    }
    var layout = picture.layout
    layout.pixelFormat = .jpeg
    return Picture(layout: layout, buffer: buffer)
  }
}
