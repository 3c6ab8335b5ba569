public import CaptureCore

/// Decodes JPEG and MJPEG, for instance to scale a picture that the camera compressed. Thread-bound: each thread needs
/// its own decoder.
///
/// The decoder refuses pictures without a Huffman table, because the capture module inserts the table that a camera
/// leaves out. The decoder also refuses camera frames that are damaged or cut off, and does not fill the missing parts
/// with grey.
public final class JPEGDecoder {
  private let converter: PictureConverter

  /// - Parameter pool: The pool from which decoded pictures take their memory.
  public init(pool: FramePool) { converter = PictureConverter(pool: pool) }

  /// Decodes `picture` to full-range BT.601, the colours of JFIF.
  ///
  /// - Parameters:
  ///   - picture: A picture in `.jpeg` or `.mjpeg` whose layout gives the size that the JPEG header gives.
  ///   - format: The format of the result: `.yuv420`, `.nv12` or any other that ``PictureConverter`` can make.
  ///   - size: The size of the result, to which the decoder scales while decoding; nil keeps the size.
  /// - Throws: `formatNotSupported` when `picture` is not JPEG or `format` cannot be made, `frameDamaged` for damaged
  ///   data, `outOfBuffers` when memory is used up, `invalidArgument` for an impossible size.
  public func decode(_ picture: Picture, to format: PixelFormat = .yuv420, size: Size? = nil)
    throws(CaptureError) -> Picture
  {
    guard picture.layout.pixelFormat.isCompressed else { throw .unsupported(picture.layout.pixelFormat) }
    return try converter.convert(picture, to: format, size: size)
  }
}
