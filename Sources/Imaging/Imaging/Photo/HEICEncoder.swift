internal import CHEIF
public import CaptureCore

/// Makes HEIC photos with libheif: 4:2:0 directly from YUV, in sRGB (full-range BT.601), with EXIF and, on request, a
/// thumbnail. Thread-bound: only one thread may use an instance. The encoder works on one more thread, which has the
/// same niceness.
public final class HEICEncoder {
  /// Whether libheif is installed and, once the encoder has loaded libheif, whether libheif can encode HEVC.
  ///
  /// The first call in the process searches the file system. That search loads libheif only when no folder of the
  /// search path has it, because only the loader's cache knows other folders.
  public static var isAvailable: Bool { cheif_is_available() }

  private let pool: FramePool
  private let converter: PictureConverter
  private let whole = ScratchMemory()
  private let small = ScratchMemory()

  /// - Parameter pool: The pool from which photos take their memory.
  public init(pool: FramePool) {
    self.pool = pool
    converter = PictureConverter(pool: pool)
  }

  /// Encodes `picture` as a HEIC photo.
  ///
  /// - Parameters:
  ///   - quality: The quality, 1 to 100.
  ///   - orientation: How the encoder turns the picture before encoding it.
  ///   - exif: The facts that the photo records.
  ///   - thumbnail: The size into which the thumbnail must fit; nil for no thumbnail.
  /// - Returns: A picture in memory of the pool whose format is `.heic`.
  /// - Throws: `processingFailed` when the picture's bytes do not match its layout, when libheif is not installed, or
  ///   when libheif refuses; `formatNotSupported` for a format that cannot be read; `frameDamaged` when the picture is
  ///   a damaged JPEG; `outOfBuffers` when memory is used up.
  public func encode(
    _ picture: Picture, quality: Int, orientation: Orientation, exif: EXIF, thumbnail: Size?
  ) throws(CaptureError) -> Picture {
    try picture.validate()
    let size = orientation.turned(picture.layout.size)
    let block = try exif.block(size: size, isJPEG: false)
    let planes = try inJFIFColors(converter.planes(picture, size: size, orientation: orientation))
    let heif = cheif_picture(planes)
    let reduced = thumbnail.map { cheif_picture(shrunk(planes, to: size.fitted(into: $0))) }
    let buffer = try withExtendedLifetime(picture) { () throws(CaptureError) in
      try pool.filled(by: "HEIC") { count, message in
        withUnsafePointer(to: heif) { heif in
          withOptionalPointer(to: reduced) { reduced in
            block.withUnsafeBufferPointer {
              cheif_write(
                heif, reduced, Int32(quality), $0.baseAddress! + EXIF.prefix, $0.count - EXIF.prefix, &count, message)
            }
          }
        }
      }
    }
    let layout = FrameLayout(pixelFormat: .heic, size: size, planes: [], range: .full, matrix: .bt601)
    return Picture(layout: layout, buffer: buffer)
  }

  private func inJFIFColors(_ planes: Planes) -> Planes {
    if JFIFColors.match(planes) { return planes }
    var ready = whole.planes(planes.size, chroma: planes.chroma, range: .full, matrix: .bt601)
    JFIFColors.convert(planes, into: ready)
    if planes.isGrey { ready.showChroma(of: planes) }
    return ready
  }

  private func shrunk(_ planes: Planes, to size: Size) -> Planes {
    var ready = small.planes(size, chroma: size.chroma420, range: planes.range, matrix: planes.matrix)
    planes.scale(into: ready)
    if planes.isGrey { ready.showChroma(of: planes) }
    return ready
  }

  private func withOptionalPointer<T, R>(to value: T?, _ body: (UnsafePointer<T>?) -> R) -> R {
    guard let value else { return body(nil) }
    return withUnsafePointer(to: value, body)
  }
}

extension Planes {
  /// Makes the planes grey with the neutral chroma line of `grey`, which must be at least as wide as these planes.
  fileprivate mutating func showChroma(of grey: Planes) {
    (u, v, uStride, vStride, isGrey) = (grey.u, grey.v, 0, 0, true)
  }
}

extension cheif_picture {
  fileprivate init(_ planes: Planes) {
    self.init(
      y: planes.y, u: planes.u, v: planes.v, y_stride: planes.yStride, u_stride: planes.uStride,
      v_stride: planes.vStride, width: Int32(planes.size.width), height: Int32(planes.size.height))
  }
}
