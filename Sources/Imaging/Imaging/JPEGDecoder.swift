internal import CJPEG
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

/// Decodes JPEG to planes in scratch memory. Thread-bound: each call invalidates the planes of the call before.
final class JPEGReader {
  private let decoder: OpaquePointer
  private let scratch = ScratchMemory()
  private let neutral = ScratchMemory()

  init() {
    guard let decoder = cjpeg_decoder_create() else { fatalError("out of memory") }
    self.decoder = decoder
  }

  deinit { cjpeg_decoder_destroy(decoder) }

  /// Decodes a JPEG whose layout gives its true size, and keeps the JPEG's own chroma sampling.
  ///
  /// - Parameter size: The size that the caller will scale the planes to. The planes may be smaller than the picture by
  ///   a factor of 2, 4 or 8, but not smaller than `size`: the reduced decoding of libjpeg is cheaper than decoding and
  ///   scaling.
  /// - Throws: `frameDamaged` when the data is damaged or its size differs from the layout's; the reader then also
  ///   marks the picture's buffer as damaged, which everything that shares the buffer sees. `formatNotSupported` for a
  ///   JPEG that is neither YCbCr nor grey, `outOfBuffers` when libjpeg finds no memory.
  func planes(_ picture: Picture, atLeast size: Size) throws(CaptureError) -> Planes {
    do {
      return try picture.buffer.withUnsafeBytes { bytes throws(CaptureError) in
        try decode(bytes, layout: picture.layout, atLeast: size)
      }
    } catch {
      if error.reason == .frameDamaged { picture.buffer.markDamaged() }
      throw error
    }
  }

  private func decode(_ bytes: UnsafeRawBufferPointer, layout: FrameLayout, atLeast size: Size)
    throws(CaptureError) -> Planes
  {
    guard let data = bytes.baseAddress, bytes.count > 0 else {
      throw CaptureError(.frameDamaged, "The JPEG picture is empty.")
    }
    var (width, height): (Int32, Int32) = (0, 0)
    try check(cjpeg_decoder_start(decoder, data.assumingMemoryBound(to: UInt8.self), bytes.count, &width, &height))
    let found = Size(width: Int(width), height: Int(height))
    // This check also prevents a damaged header from making the decoder allocate gigabytes.
    guard found == layout.size else {
      throw CaptureError(
        .frameDamaged, "The JPEG picture says it is \(found), but its format says \(layout.size).",
        metadata: ["found": "\(found)", "expected": "\(layout.size)"])
    }
    let eighths = [1, 2, 4].first { size.width * 8 <= found.width * $0 && size.height * 8 <= found.height * $0 } ?? 8

    var components: Int32 = 0
    var plan = [cjpeg_plane](repeating: cjpeg_plane(), count: 3)
    try check(cjpeg_decoder_plan(decoder, Int32(eighths), &components, &plan))
    let strides = plan.map { (Int($0.padded_width) + 63) & ~63 }
    let counts = zip(strides, plan).map { $0 * Int($1.height) }
    let y = scratch.reserve(counts.reduce(0, +))
    let (u, v) = (y + counts[0], y + counts[0] + counts[1])
    try check(cjpeg_decoder_read(decoder, [y, u, v], strides))

    let luma = Size(width: Int(plan[0].width), height: Int(plan[0].height))
    var planes = Planes(
      size: luma, chroma: Size(width: Int(plan[1].width), height: Int(plan[1].height)), y: y, u: u, v: v,
      yStride: strides[0], uStride: strides[1], vStride: strides[2], range: .full, matrix: .bt601)
    if components == 1 {
      planes.chroma = luma.chroma420
      planes.showNeutralChroma(in: neutral)
    }
    return planes
  }

  private func check(_ result: cjpeg_result) throws(CaptureError) {
    switch result {
    case CJPEG_OK: return
    case CJPEG_UNSUPPORTED:
      throw CaptureError(
        .formatNotSupported,
        "Only YCbCr and grey JPEG pictures can be read, and progressive ones of at most 80 megapixels.")
    case CJPEG_FAILED:
      throw CaptureError(.outOfBuffers, "There is no memory to decode a JPEG picture.")
    default:
      let reason = String(cString: cjpeg_decoder_message(decoder))
      throw CaptureError(.frameDamaged, "The JPEG picture is damaged: \(reason).", metadata: ["cause": reason])
    }
  }
}

/// The size that the head of a JPEG tells (ITU-T T.81, B.2.2), without decoding the picture.
public enum JPEGSize {
  /// Reads the size. Nil when the bytes are not a whole JPEG with a frame of Huffman coding. Zeros may follow it, as
  /// cameras pad their pictures.
  public static func read(_ bytes: UnsafeRawBufferPointer) -> Size? {
    guard bytes.count > 4, bytes[0] == 0xff, bytes[1] == 0xd8 else { return nil }
    guard let last = bytes.lastIndex(where: { $0 != 0 }), bytes[last - 1] == 0xff, bytes[last] == 0xd9 else {
      return nil
    }
    var place = 2
    while place + 9 <= bytes.count, bytes[place] == 0xff {
      let marker = bytes[place + 1]
      if marker == 0xff {
        // Fill bytes may come before a marker.
        place += 1
        continue
      }
      // Baseline, extended and progressive frames.
      if (0xc0...0xc2).contains(marker) {
        func number(_ offset: Int) -> Int { Int(bytes[place + offset]) << 8 | Int(bytes[place + offset + 1]) }
        return Size(width: number(7), height: number(5))
      }
      if marker == 0xda { return nil }
      place += 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
    }
    return nil
  }
}
