public import CaptureCore

/// Makes JPEG photos with EXIF and, on request, a thumbnail within the EXIF. Thread-bound: only one thread may use an
/// instance.
public final class JPEGPhotoEncoder {
  private let pool: FramePool
  private let encoder: JPEGEncoder
  private let thumbnails: JPEGEncoder
  private let reader = JPEGReader()

  /// - Parameter pool: The pool from which photos take their memory.
  public init(pool: FramePool) {
    self.pool = pool
    encoder = JPEGEncoder(pool: pool)
    thumbnails = JPEGEncoder(pool: pool)
  }

  /// Encodes `picture` as a JPEG photo. A JPEG that the camera made is not compressed anew unless it has to be turned;
  /// the encoder only puts `exif` in place of the camera's EXIF.
  ///
  /// - Parameters:
  ///   - quality: The quality, 1 to 100. A JPEG that is not compressed anew keeps its own quality.
  ///   - orientation: How the encoder turns the picture before encoding it.
  ///   - exif: The facts that the photo records.
  ///   - thumbnail: The size into which the thumbnail must fit; nil for no thumbnail.
  /// - Returns: A picture in memory of the pool whose format is `.jpeg`.
  /// - Throws: The errors of ``JPEGEncoder``; `frameDamaged` when the camera's JPEG is damaged; `processingFailed` when
  ///   the thumbnail is too large for EXIF in every quality, or when there is no memory for the EXIF.
  public func encode(
    _ picture: Picture, quality: Int, orientation: Orientation, exif: EXIF, thumbnail: Size?
  ) throws(CaptureError) -> Picture {
    let size = orientation.turned(picture.layout.size)
    var small: [UInt8] = []
    if let thumbnail { small = try shrunk(picture, to: size.fitted(into: thumbnail), orientation) }
    let block = try exif.block(size: size, isJPEG: true, thumbnail: small)
    if picture.layout.pixelFormat.isJPEG, orientation == .asCaptured {
      // It is possible that no code has decoded this JPEG yet, and people look at a photo when the moment is long gone,
      // so the encoder must find damage now. Decoding at an eighth of the size does most of the work that finds damage.
      // With a thumbnail the check is done already: the thumbnail was made from the whole picture.
      if small.isEmpty { _ = try reader.planes(picture, atLeast: Size(width: 1, height: 1)) }
      return try kept(picture, with: block)
    }
    return try encoder.encode(picture, quality: quality, orientation: orientation, exif: block)
  }

  /// Makes a thumbnail as EXIF requires: a JPEG without application data, in the best quality that fits.
  ///
  /// When no quality fits, the encoder halves the size: noise at 512 × 512, for example, does not fit.
  ///
  /// - Throws: The errors of ``JPEGEncoder``; `processingFailed` when the halved size does not fit either.
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

  /// Copies a JPEG that the camera made, with `block` in place of its EXIF.
  ///
  /// The copy also returns the camera's memory to its pool; clients keep photos for long.
  ///
  /// - Throws: `frameDamaged` when the bytes are not a JPEG, `outOfBuffers` when the pool is used up.
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

/// The segments of a JPEG before its picture data (ITU-T T.81, annex B).
enum JPEGSegments {
  /// The marker of the first kind of application data, which JFIF uses.
  static let app0: UInt8 = 0xe0
  /// The marker of the second kind of application data, which EXIF uses.
  static let app1: UInt8 = 0xe1

  /// The ranges of bytes that remain of a JPEG when some segments are left out. The two bytes that begin every JPEG are
  /// not in the ranges.
  ///
  /// - Parameter isOut: A function that decides whether to leave a segment out, from the segment's marker and content.
  /// - Returns: The ranges in the order of the file; nil when the bytes are not a JPEG.
  static func ranges(
    of jpeg: UnsafeRawBufferPointer, leavingOut isOut: (UInt8, UnsafeRawBufferPointer) -> Bool
  ) -> [Range<Int>]? {
    guard jpeg.count > 4, jpeg[0] == 0xff, jpeg[1] == 0xd8 else { return nil }
    var ranges: [Range<Int>] = []
    var (start, place) = (2, 2)
    while place + 4 <= jpeg.count, jpeg[place] == 0xff {
      let marker = jpeg[place + 1]
      // At this marker the picture data begins, and no segment that matters follows.
      if marker == 0xda { break }
      // A marker may have any number of bytes 0xff before it.
      if marker == 0xff {
        place += 1
        continue
      }
      let end = place + 2 + (Int(jpeg[place + 2]) << 8 | Int(jpeg[place + 3]))
      guard end >= place + 4, end <= jpeg.count else { return nil }
      if isOut(marker, UnsafeRawBufferPointer(rebasing: jpeg[place + 4..<end])) {
        if start < place { ranges.append(start..<place) }
        start = end
      }
      place = end
    }
    ranges.append(start..<jpeg.count)
    return ranges
  }

  /// Whether a segment with this marker and content holds EXIF.
  static func isEXIF(_ marker: UInt8, _ content: UnsafeRawBufferPointer) -> Bool {
    marker == app1 && content.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0])
  }
}
