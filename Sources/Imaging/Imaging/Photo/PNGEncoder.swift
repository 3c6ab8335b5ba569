internal import CPNG
public import CaptureCore
internal import Foundation

/// Makes PNG photos: 8 bits each of R, G and B, or of grey, in sRGB, with EXIF. Wide grey is stretched to eight bits,
/// too; its values are in uncompressed photos. Thread-bound: only one thread may use an instance.
public final class PNGEncoder {
  private let pool: FramePool
  private let converter: PictureConverter

  /// - Parameter pool: The pool from which photos take their memory, and from which their uncompressed pixels take
  ///   theirs.
  public init(pool: FramePool) {
    self.pool = pool
    converter = PictureConverter(pool: pool)
  }

  /// Encodes `picture` as a PNG photo.
  ///
  /// - Parameters:
  ///   - orientation: How the encoder turns the picture before encoding it.
  ///   - exif: The facts that the photo records.
  /// - Returns: A picture in memory of the pool whose format is `.png`.
  /// - Throws: The errors of ``PictureConverter``; `processingFailed` when libpng refuses or there is no memory for the
  ///   EXIF.
  public func encode(_ picture: Picture, orientation: Orientation, exif: EXIF) throws(CaptureError) -> Picture {
    let isGrey = picture.layout.pixelFormat.isGrey
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
  /// Copies the output of a library into memory of the pool.
  ///
  /// The size of the output is unknown before the library has written it, and clients keep photos for long, so a photo
  /// must not hold more memory than it needs.
  ///
  /// - Parameters:
  ///   - library: The name of the file format, for the text of the error.
  ///   - write: A function that returns memory from `malloc` and sets `count` to its bytes, or returns nil and writes a
  ///     text of at most 159 characters to `message`.
  /// - Throws: `processingFailed` when `write` returns nil, `outOfBuffers` when the pool is used up.
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
