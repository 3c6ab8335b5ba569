public import CaptureCore

/// Decodes JPEG and MJPEG, for instance to scale what a camera compressed itself. Thread-bound: one per thread.
///
/// Pictures without a Huffman table are refused: the capture module has inserted it. Camera frames that are damaged
/// or cut off are refused too, not patched with grey.
public final class JPEGDecoder {
  private let converter: PictureConverter

  /// - Parameter pool: where decoded pictures get their memory.
  public init(pool: FramePool) { converter = PictureConverter(pool: pool) }

  /// Decodes to full-range BT.601, which is what JFIF carries.
  ///
  /// - Parameters:
  ///   - picture: in `.jpeg` or `.mjpeg`, with the layout's size being the picture's.
  ///   - format: `.yuv420`, `.nv12` or any other that ``PictureConverter`` can make.
  ///   - size: scales while decoding; nil keeps the size.
  /// - Throws: `formatNotSupported` when `picture` is no JPEG or `format` cannot be made, `frameDamaged` for
  ///   damaged data, `outOfBuffers`, `invalidArgument` for an impossible size.
  public func decode(_ picture: Picture, to format: PixelFormat = .yuv420, size: Size? = nil)
    throws(CaptureError) -> Picture
  {
    guard picture.layout.pixelFormat.isCompressed else { throw .unsupported(picture.layout.pixelFormat) }
    return try converter.convert(picture, to: format, size: size)
  }
}
