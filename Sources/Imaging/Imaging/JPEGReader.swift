internal import CJPEG
internal import CaptureCore

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
      throw CaptureError(.formatNotSupported, "Only YCbCr and grey JPEG pictures can be read.")
    case CJPEG_FAILED:
      throw CaptureError(.outOfBuffers, "There is no memory to decode a JPEG picture.")
    default:
      let reason = String(cString: cjpeg_decoder_message(decoder))
      throw CaptureError(.frameDamaged, "The JPEG picture is damaged: \(reason).", metadata: ["cause": reason])
    }
  }
}
