internal import CJPEG
public import CaptureCore

/// Encodes JPEG (JFIF, 4:2:0, or one component for grey) straight from YUV. Thread-bound: one per encoder thread.
///
/// The picture passes through in strips of 16 lines: unpacked, turned to JFIF's colours and compressed while they are
/// in the cache; planes that already lie right are not touched at all. The compressed bytes are written straight into
/// memory of the pool.
public final class JPEGEncoder {
  private let pool: FramePool
  private let encoder: OpaquePointer
  private let unpacker = Unpacker()
  private let strip = ScratchMemory()
  private let converter: PictureConverter
  /// Bytes per pixel of the last picture: the next one of a video takes about as many. The start, half a byte, is
  /// more than a usual picture at quality 80 takes, so that not even the first has to be compressed twice.
  private var bytesPerPixel = 0.33

  /// - Parameter pool: where the compressed pictures get their memory.
  public init(pool: FramePool) {
    guard let encoder = cjpeg_encoder_create() else { fatalError("out of memory") }
    self.encoder = encoder
    self.pool = pool
    self.converter = PictureConverter(pool: pool)
  }

  deinit { cjpeg_encoder_destroy(encoder) }

  /// What an encoder whose last picture became so many bytes takes for the next one, EXIF aside.
  public static func memory(for bytes: Int) -> Int { (16 << 10) + bytes + bytes / 2 }

  /// Compresses `picture`, of high dynamic range as screens show it.
  ///
  /// - Parameters:
  ///   - picture: in any format with a static name in ``PixelFormat``. A JPEG is decoded and compressed anew.
  ///   - quality: 1 to 100, the scale of libjpeg.
  ///   - size: of the result, after turning; nil keeps the size.
  ///   - orientation: how to turn it before it is compressed.
  /// - Returns: a picture whose format is `.jpeg`, full-range BT.601.
  /// - Throws: `invalidArgument` for quality or size, `formatNotSupported`, `processingFailed` when the picture's
  ///   bytes are not what its layout says, `outOfBuffers`.
  public func encode(
    _ picture: Picture, quality: Int, size: Size? = nil, orientation: Orientation = .asCaptured
  ) throws(CaptureError) -> Picture {
    try encode(picture, quality: quality, size: size, orientation: orientation, exif: [])
  }

  /// The same with an EXIF block, of at most 65,533 bytes; none when it is empty.
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
    // Decoding, mapping, scaling and turning need the whole picture at once; else strips come straight from the picture.
    let isDirect =
      size == picture.layout.size && !picture.layout.pixelFormat.isCompressed && orientation == .asCaptured
      && !picture.layout.isHighDynamicRange
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
      // Compressed again from the start, in more memory: rare, because the last picture tells what is needed.
      capacity = min(limit, max(memory.capacity * 2, capacity * 2))
    }
  }

  /// - Returns: the bytes used, or nil when `output` is too small.
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

  /// The strip in JFIF's colours, its lines padded to whole blocks by repeating the last pixel.
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

  /// - Returns: false when the output memory was too small.
  private func proceed(_ result: cjpeg_result) throws(CaptureError) -> Bool {
    switch result {
    case CJPEG_OK: return true
    case CJPEG_BUFFER_FULL: return false
    default:
      let reason = String(cString: cjpeg_encoder_message(encoder))
      throw CaptureError(.processingFailed, "JPEG encoding failed: \(reason).", metadata: ["cause": reason])
    }
  }

  /// More than any picture needs: libjpeg-turbo's own bound (`tjBufSize`), two bytes a sample and the headers.
  private func worstCase(_ size: Size, isGrey: Bool) -> Int {
    let padded = ((size.width + 15) & ~15) * ((size.height + 15) & ~15)
    return (isGrey ? padded * 2 : padded * 3) + 2048
  }
}
