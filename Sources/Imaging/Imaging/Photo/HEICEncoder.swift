internal import CHEIF
public import CaptureCore

/// Makes HEIC photos by libheif: 4:2:0 straight from YUV, in sRGB (full-range BT.601), with EXIF and, on request, a
/// thumbnail. Thread-bound; it works on one thread more, of the same niceness.
public final class HEICEncoder {
  /// Whether libheif is installed and, once it was used, has an encoder. Never waits, never loads it.
  public static var isAvailable: Bool { cheif_is_available() }

  private let pool: FramePool
  private let converter: PictureConverter
  private let whole = ScratchMemory()
  private let small = ScratchMemory()

  /// - Parameter pool: where photos get their memory.
  public init(pool: FramePool) {
    self.pool = pool
    converter = PictureConverter(pool: pool)
  }

  /// - Parameters:
  ///   - quality: 1 to 100.
  ///   - thumbnail: the most it may measure; nil for none.
  /// - Returns: a picture in memory of the pool, its format `.heic`.
  /// - Throws: `processingFailed` when the picture's bytes are not what its layout says, or libheif refuses or is not there;
  ///   `formatNotSupported`, `outOfBuffers`.
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
  /// Takes the neutral line of a grey picture that is no smaller.
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
