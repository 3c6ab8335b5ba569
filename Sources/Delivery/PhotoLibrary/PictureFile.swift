public import CaptureCore
public import Imaging

/// Reads the files of photos that clients bring, and makes the small pictures of lists. Thread-bound.
public final class PictureFile {
  /// The longer side of a thumbnail.
  public static let thumbnailSide = 320
  private static let thumbnailQuality = 80

  private let encoder: JPEGEncoder

  /// - Parameter pool: where thumbnails and scaled pictures get their memory.
  public init(pool: FramePool) { encoder = JPEGEncoder(pool: pool) }

  /// Recognises the file of a JPEG or PNG photo by its head, and reads the size of the picture. A HEIC file tells its
  /// size only to a decoder, which the daemon does not have.
  ///
  /// - Returns: nil for other bytes, and for a file that is cut off.
  public static func read(_ buffer: FrameBuffer) -> Picture? {
    let found: (format: PixelFormat, size: Size)? = buffer.withUnsafeBytes { bytes in
      if let size = JPEGSize.read(bytes) { return (.jpeg, size) }
      return PNGHead.size(of: bytes).map { (.png, $0) }
    }
    let sides = 1...Picture.largestSide
    guard let found, sides.contains(found.size.width), sides.contains(found.size.height) else { return nil }
    return Picture(
      layout: FrameLayout(pixelFormat: found.format, size: found.size, planes: []), buffer: buffer)
  }

  /// Makes the thumbnail of a photo. Nil for a photo that is no JPEG, and for one that cannot be decoded.
  ///
  /// - Throws: `outOfBuffers`.
  func thumbnail(of photo: Picture) throws(CaptureError) -> Picture? {
    let size = Self.shownSize(of: photo).fitted(into: Size(width: Self.thumbnailSide, height: Self.thumbnailSide))
    do throws(CaptureError) { return try scaled(photo, to: size, quality: Self.thumbnailQuality) } catch {
      guard error.reason == .outOfBuffers else { return nil }
      throw error
    }
  }

  /// The size of a photo as it is shown: a JPEG file may say that its picture is to be turned.
  static func shownSize(of photo: Picture) -> Size { orientation(of: photo).turned(photo.layout.size) }

  private static func orientation(of photo: Picture) -> Orientation {
    photo.layout.pixelFormat == .jpeg ? photo.buffer.withUnsafeBytes(EXIFOrientation.read) : .asCaptured
  }

  /// Encodes a JPEG photo anew in another size, turned as the file says.
  ///
  /// - Parameter size: the size of the result, as it is shown.
  /// - Throws: `frameDamaged` for a file that is damaged, `outOfBuffers`; `formatNotSupported` for other formats.
  func scaled(_ photo: Picture, to size: Size, quality: Int = 90) throws(CaptureError) -> Picture {
    guard photo.layout.pixelFormat == .jpeg else {
      throw CaptureError(.formatNotSupported, "Only JPEG photos can be scaled.")
    }
    return try encoder.encode(photo, quality: quality, size: size, orientation: Self.orientation(of: photo))
  }
}

/// The head of a PNG file (ISO/IEC 15948, 5.2 and 11.2.2).
private enum PNGHead {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  private static let header: [UInt8] = [0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
  private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]

  /// The size of the picture. Nil when the bytes do not begin and end as a PNG file does.
  static func size(of bytes: UnsafeRawBufferPointer) -> Size? {
    guard bytes.count > 45, bytes.starts(with: signature + header), bytes.suffix(end.count).elementsEqual(end) else {
      return nil
    }
    func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }
    return Size(width: number(16), height: number(20))
  }
}
