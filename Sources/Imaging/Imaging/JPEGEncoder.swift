internal import CJPEG
public import CaptureCore

/// Encodes JPEG (JFIF, 4:2:0, or one component for grey) directly from YUV. Thread-bound: each encoder thread needs its
/// own encoder.
///
/// The encoder works through the picture in strips of 16 lines. It unpacks each strip, converts the strip to the
/// colours of JFIF and compresses the strip while all of its samples are in the cache. Planes that already have the
/// right layout and colours are compressed where they lie. The encoder writes the compressed bytes directly into memory
/// of the pool.
public final class JPEGEncoder {
  private let pool: FramePool
  private let encoder: OpaquePointer
  private let unpacker = Unpacker()
  private let strip = ScratchMemory()
  private let converter: PictureConverter
  /// Compressed bytes per pixel of the last picture, which predict the size of the next picture of a video.
  ///
  /// With the initial value, ``memory(for:)`` reserves half a byte per pixel. A usual picture at quality 80 takes less,
  /// so that the encoder does not have to compress even the first picture twice.
  private var bytesPerPixel = 0.33

  /// - Parameter pool: The pool from which compressed pictures take their memory.
  public init(pool: FramePool) {
    guard let encoder = cjpeg_encoder_create() else { fatalError("out of memory") }
    self.encoder = encoder
    self.pool = pool
    self.converter = PictureConverter(pool: pool)
  }

  deinit { cjpeg_encoder_destroy(encoder) }

  /// The bytes that an encoder reserves for its next picture, without EXIF, after a picture of `bytes` compressed
  /// bytes.
  public static func memory(for bytes: Int) -> Int { (16 << 10) + bytes + bytes / 2 }

  /// Compresses `picture`. A picture of high dynamic range is first mapped to the tones that screens show, and one in
  /// wide grey is stretched to grey of eight bits.
  ///
  /// - Parameters:
  ///   - picture: A picture in any format that has a static name in ``PixelFormat``. A JPEG is decoded and compressed
  ///     anew.
  ///   - quality: The quality on the scale of libjpeg, 1 to 100.
  ///   - size: The size of the result, after turning; nil keeps the size.
  ///   - orientation: How the encoder turns the picture before compressing it.
  /// - Returns: A picture in full-range BT.601 whose format is `.jpeg`.
  /// - Throws: `invalidArgument` for an impossible quality or size, `formatNotSupported` for a format that cannot be
  ///   read, `frameDamaged` for a damaged JPEG, `processingFailed` when the picture's bytes do not match its layout or
  ///   libjpeg fails, `outOfBuffers` when memory is used up.
  public func encode(
    _ picture: Picture, quality: Int, size: Size? = nil, orientation: Orientation = .asCaptured
  ) throws(CaptureError) -> Picture {
    try encode(picture, quality: quality, size: size, orientation: orientation, exif: [])
  }

  /// Compresses `picture` like ``encode(_:quality:size:orientation:)`` and embeds `exif`.
  ///
  /// - Parameter exif: An EXIF block of at most 65,533 bytes; an empty array embeds none.
  func encode(
    _ picture: Picture, quality: Int, size: Size? = nil, orientation: Orientation = .asCaptured, exif: [UInt8]
  ) throws(CaptureError) -> Picture {
    guard (1...100).contains(quality) else {
      throw CaptureError(
        .invalidArgument, "JPEG quality \(quality) is not within 1 to 100.", metadata: ["quality": "\(quality)"],
        field: "quality")
    }
    try picture.validate()
    let size = size ?? orientation.turned(picture.layout.size)
    guard size.isValid else { throw .impossible(size) }
    // Decoding, tone mapping, stretching wide grey, scaling and turning need the whole picture at once. Without these
    // steps, strips are taken directly from the picture's memory.
    let isDirect =
      size == picture.layout.size && !picture.layout.pixelFormat.isCompressed && orientation == .asCaptured
      && !picture.layout.isHighDynamicRange && !picture.layout.pixelFormat.isWideGrey
    let planes = isDirect ? nil : try converter.planes(picture, size: size, orientation: orientation)
    let isGrey = planes?.isGrey ?? (picture.layout.pixelFormat == .grey)

    let limit = worstCase(size, isGrey: isGrey) + exif.count
    var capacity = min(limit, exif.count + Self.memory(for: Int(Double(size.pixelCount) * bytesPerPixel)))
    while true {
      guard let memory = pool.take(capacity) else { throw .outOfBuffers(capacity) }
      let count = try picture.buffer.withUnsafeBytes { bytes throws(CaptureError) in
        try compress(size, quality, isGrey: isGrey, exif, into: memory.bytes) {
          planes?.lines($0) ?? unpacker.planes(picture.layout, bytes.bytes, rows: $0, rgbRange: .full)
        }
      }
      if let count {
        bytesPerPixel = Double(count) / Double(size.pixelCount)
        let layout = FrameLayout(pixelFormat: .jpeg, size: size, planes: [], range: .full, matrix: .bt601)
        return Picture(layout: layout, buffer: memory.freeze(count: count))
      }
      guard capacity < limit else {
        throw CaptureError(
          .processingFailed, "JPEG encoding took more than \(limit) bytes.", metadata: ["limit": "\(limit)"])
      }
      // The loop compresses the picture again from the start, with more memory. This is rare, because the size of the
      // last picture predicts the size of this one.
      capacity = min(limit, max(memory.capacity * 2, capacity * 2))
    }
  }

  /// - Returns: The number of bytes that the JPEG takes, or nil when `output` is too small.
  private func compress(
    _ size: Size, _ quality: Int, isGrey: Bool, _ exif: [UInt8], into output: UnsafeMutableRawBufferPointer,
    lines: (Range<Int>) -> Planes
  ) throws(CaptureError) -> Int? {
    let target = output.baseAddress!.assumingMemoryBound(to: UInt8.self)
    guard
      try proceed(
        cjpeg_encoder_start(
          encoder, target, output.count, Int32(size.width), Int32(size.height), isGrey ? 1 : 3, Int32(quality)))
    else { return nil }
    if !exif.isEmpty { guard try proceed(cjpeg_encoder_write_exif(encoder, exif, exif.count)) else { return nil } }
    for top in stride(from: 0, to: size.height, by: 16) {
      let rows = top..<min(top + 16, size.height)
      let ready = readied(lines(rows))
      guard
        try proceed(
          cjpeg_encoder_write(
            encoder, ready.y, ready.yStride, ready.u, ready.uStride, ready.v, ready.vStride, Int32(rows.count)))
      else { return nil }
    }
    var count = 0
    return try proceed(cjpeg_encoder_finish(encoder, &count)) ? count : nil
  }

  /// Converts a strip to the colours of JFIF and pads its lines to whole blocks of 16 pixels by repeating the last
  /// pixel.
  ///
  /// A strip that needs neither is returned as it is.
  private func readied(_ planes: Planes) -> Planes {
    let padding = (16 - planes.size.width % 16) % 16
    let isRight = JFIFColors.match(planes)
    if isRight, padding == 0 { return planes }
    let (width, chroma) = (planes.size.width + padding, (planes.size.width + padding) / 2)
    var ready = strip.planes(
      Size(width: width, height: planes.size.height), chroma: Size(width: chroma, height: planes.chroma.height),
      range: .full, matrix: .bt601)
    (ready.size, ready.chroma, ready.isGrey) = (planes.size, planes.chroma, planes.isGrey)
    if isRight { planes.scale(into: ready) } else { JFIFColors.convert(planes, into: ready) }
    if padding > 0 {
      Self.repeatLast(ready.y, ready.yStride, ready.size, upTo: width)
      if !ready.isGrey {
        Self.repeatLast(ready.u, ready.uStride, ready.chroma, upTo: chroma)
        Self.repeatLast(ready.v, ready.vStride, ready.chroma, upTo: chroma)
      }
    }
    return ready
  }

  private static func repeatLast(_ plane: UnsafeMutablePointer<UInt8>, _ stride: Int, _ size: Size, upTo width: Int) {
    for row in 0..<size.height {
      let end = plane + stride * row + size.width
      end.update(repeating: end[-1], count: width - size.width)
    }
  }

  /// - Returns: Whether to continue; false when the output memory is too small.
  /// - Throws: `processingFailed` when libjpeg reports any other failure.
  private func proceed(_ result: cjpeg_result) throws(CaptureError) -> Bool {
    switch result {
    case CJPEG_OK: return true
    case CJPEG_BUFFER_FULL: return false
    default:
      let reason = String(cString: cjpeg_encoder_message(encoder))
      throw CaptureError(.processingFailed, "JPEG encoding failed: \(reason).", metadata: ["cause": reason])
    }
  }

  /// A number of bytes that no JPEG of `size` exceeds: the bound of libjpeg-turbo (`tjBufSize`), which is two bytes per
  /// sample plus the headers.
  private func worstCase(_ size: Size, isGrey: Bool) -> Int {
    let padded = ((size.width + 15) & ~15) * ((size.height + 15) & ~15)
    return (isGrey ? padded * 2 : padded * 3) + 2048
  }
}
