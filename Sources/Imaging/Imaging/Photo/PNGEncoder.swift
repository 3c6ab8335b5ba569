internal import CPNG
public import CaptureCore
internal import Foundation

/// Makes PNG photos: 8 bits of R, G and B or of grey, in sRGB, with EXIF. Thread-bound.
public final class PNGEncoder {
  private let pool: FramePool
  private let converter: PictureConverter

  /// - Parameter pool: where photos get their memory, and their pixels before they are compressed.
  public init(pool: FramePool) {
    self.pool = pool
    converter = PictureConverter(pool: pool)
  }

  /// - Returns: a picture in memory of the pool, its format `.png`.
  /// - Throws: what ``PictureConverter`` throws; `processingFailed` when libpng refuses.
  public func encode(_ picture: Picture, orientation: Orientation, exif: EXIF) throws(CaptureError) -> Picture {
    let isGrey = picture.layout.pixelFormat == .grey
    let pixels = try converter.convert(
      picture, to: isGrey ? .grey : .rgb24, orientation: orientation, range: isGrey ? .full : nil, mapsTones: true)
    let size = pixels.layout.size
    let block = try exif.block(size: size, isJPEG: false)
    let buffer = try pixels.buffer.withUnsafeBytes { bytes throws(CaptureError) in
      var png = cpng_picture(
        pixels: bytes.bytes + pixels.layout.planes[0].offset, stride: pixels.layout.planes[0].stride,
        width: Int32(size.width), height: Int32(size.height), is_grey: isGrey ? 1 : 0)
      return try pool.filled(by: "PNG") { count, message in
        block.withUnsafeBufferPointer {
          cpng_write(&png, $0.baseAddress! + EXIF.prefix, $0.count - EXIF.prefix, &count, message)
        }
      }
    }
    return Picture(layout: FrameLayout(pixelFormat: .png, size: size, planes: [], range: .full), buffer: buffer)
  }
}

extension FramePool {
  /// Memory of the pool with what a library wrote into its own: what it will write is not known before, and a photo is kept
  /// for long, so it must not take more than it needs.
  func filled(
    by library: String,
    _ write: (_ count: inout Int, _ message: UnsafeMutablePointer<CChar>) -> UnsafeMutablePointer<UInt8>?
  ) throws(CaptureError) -> FrameBuffer {
    var count = 0
    var message = [CChar](repeating: 0, count: 160)
    guard let written = message.withUnsafeMutableBufferPointer({ write(&count, $0.baseAddress!) }) else {
      let cause = message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      throw CaptureError(
        .processingFailed, "\(library) encoding failed: \(cause).", metadata: ["cause": cause])
    }
    defer { free(written) }
    guard let memory = take(count) else { throw .outOfBuffers(count) }
    memory.bytes.copyMemory(from: UnsafeRawBufferPointer(start: written, count: count))
    return memory.freeze(count: count)
  }
}
