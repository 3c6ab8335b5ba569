internal import CVideoCoding
public import CaptureCore
public import Imaging

/// Encodes H.264 with libavcodec. The encoder finishes each picture at once, and no picture waits for a later one.
/// Thread-bound: each encoder thread needs its own encoder.
///
/// The encoder reads pictures where they lie. The software encoder is x264. Where hardware is allowed, the encoder
/// tries hardware encoders (V4L2 memory-to-memory, VAAPI) first, and stops using hardware for good when a hardware
/// encoder fails on a picture or does not return the coded picture at once. No hardware encoder was available to test
/// with.
public final class H264Encoder {
  /// A coded picture as a decoder takes it.
  public struct Coded: Sendable {
    /// The coded bytes in the byte stream format of H.264, annex B. A key frame begins with its parameter sets.
    public var picture: Picture
    /// Whether a decoder can decode this picture without the pictures before it.
    public var isKeyFrame: Bool
  }

  private struct Settings: Equatable {
    var size: Size
    var range: FrameLayout.Range
    var matrix: FrameLayout.Matrix
    var quality: Int
  }

  private let pool: FramePool
  private var allowsHardware: Bool
  private var encoder: (handle: OpaquePointer, settings: Settings, isHardware: Bool)?

  /// - Parameters:
  ///   - pool: The pool from which coded pictures take their memory.
  ///   - allowsHardware: Whether the encoder tries the machine's hardware encoders.
  public init(pool: FramePool, allowsHardware: Bool) {
    self.pool = pool
    self.allowsHardware = allowsHardware
  }

  deinit { closeEncoder() }

  /// Encodes the next picture. When size, colours or quality differ from the picture before, the encoder begins anew
  /// with a key frame.
  ///
  /// - Parameters:
  ///   - picture: A picture in NV12 whose width and height are even.
  ///   - quality: The quality, 1 to 100 as for JPEG: 80 corresponds to x264's rate factor 23.
  ///   - frameRate: The nominal number of pictures per second, which programs such as FFmpeg read in key frames
  ///     (`time_scale` of H.264, E.2.1). The pictures need not come evenly. Nil for 30 when nobody knows.
  ///   - forcesKeyFrame: Whether the coded picture must be a key frame. The first coded picture always is one.
  /// - Throws: `formatNotSupported` for other formats, for odd sizes and when no encoder can be made;
  ///   `processingFailed` when the encoder fails; `outOfBuffers` when the pool is used up. After `outOfBuffers`,
  ///   decoders cannot decode the following pictures until the next key frame.
  public func encode(
    _ picture: Picture, quality: Int, frameRate: Rational? = nil, forcesKeyFrame: Bool
  ) throws(CaptureError) -> Coded {
    let rate = frameRate.flatMap { $0.value > 0 ? $0 : nil } ?? Rational(30, 1)
    let (size, planes) = (picture.layout.size, picture.layout.planes)
    guard picture.layout.pixelFormat == .nv12, size.width % 2 == 0, size.height % 2 == 0, planes.count == 2,
      planes[0].offset + planes[0].stride * (size.height - 1) + size.width <= picture.buffer.count,
      planes[1].offset + planes[1].stride * (size.height / 2 - 1) + size.width <= picture.buffer.count
    else {
      throw CaptureError(
        .formatNotSupported, "H.264 is made of NV12 of even size, not of \(picture.layout.pixelFormat) of \(size).",
        metadata: ["format": "\(picture.layout.pixelFormat)", "size": "\(size)"])
    }
    let settings = Settings(size: size, range: picture.layout.range, matrix: picture.layout.matrix, quality: quality)
    while true {
      let encoder = try encoder(settings)
      do { return try encode(picture, on: encoder.handle, rate, forcesKeyFrame: forcesKeyFrame) } catch {
        // The encoder works; only memory for its output is missing. The readers' slots notice the gap in the pictures
        // and ask for a key frame.
        if error.reason == .outOfBuffers { throw error }
        closeEncoder()
        guard encoder.isHardware else { throw error }
        allowsHardware = false
      }
    }
  }

  private func encode(
    _ picture: Picture, on handle: OpaquePointer, _ rate: Rational, forcesKeyFrame: Bool
  ) throws(CaptureError) -> Coded {
    let layout = picture.layout
    var isKeyFrame = forcesKeyFrame
    let memory = try picture.buffer.withUnsafeBytes { bytes throws(CaptureError) in
      let base = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      var source = cvideo_picture(
        luma: base + layout.planes[0].offset, chroma: base + layout.planes[1].offset,
        luma_stride: Int32(layout.planes[0].stride), chroma_stride: Int32(layout.planes[1].stride),
        rate_numerator: Int32(clamping: rate.numerator), rate_denominator: Int32(clamping: rate.denominator))
      var (data, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
      let result = cvideo_encoder_encode(handle, &source, &isKeyFrame, &data, &count)
      guard result == CVIDEO_OK, let data else {
        let cause = result == CVIDEO_LATE ? "it is late" : String(cString: cvideo_encoder_message(handle))
        throw CaptureError(.processingFailed, "H.264 encoding failed: \(cause).", metadata: ["cause": cause])
      }
      guard let memory = pool.take(count) else {
        throw CaptureError(
          .outOfBuffers, "The frame pool has no \(count) bytes left for a picture.", metadata: ["bytes": "\(count)"])
      }
      memory.bytes.copyMemory(from: UnsafeRawBufferPointer(start: data, count: count))
      return memory.freeze(count: count)
    }
    let coded = FrameLayout(
      pixelFormat: .h264, size: layout.size, planes: [], range: layout.range, matrix: layout.matrix)
    return Coded(picture: Picture(layout: coded, buffer: memory), isKeyFrame: isKeyFrame)
  }

  private func encoder(
    _ settings: Settings
  ) throws(CaptureError) -> (handle: OpaquePointer, settings: Settings, isHardware: Bool) {
    if let encoder, encoder.settings == settings { return encoder }
    closeEncoder()
    var format = cvideo_format(
      width: Int32(settings.size.width), height: Int32(settings.size.height),
      is_full_range: settings.range == .full, is_bt709: settings.matrix == .bt709,
      quantizer: Int32(Self.quantizer(settings.quality)))
    var cause = ""
    for kind in Self.kinds(allowsHardware: allowsHardware) {
      let made = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 160) { message in
        message.initialize(repeating: 0)
        let handle = cvideo_encoder_create(kind, &format, message.baseAddress!)
        if handle == nil { cause = String(cString: message.baseAddress!) }
        return handle
      }
      guard let made else { continue }
      let encoder = (made, settings, kind != CVIDEO_SOFTWARE)
      self.encoder = encoder
      return encoder
    }
    throw CaptureError(
      .formatNotSupported, "No H.264 encoder can be made: \(cause); install libavcodec, or ask for JPEG.",
      metadata: ["cause": cause])
  }

  /// The kinds of encoders, in the order in which they are tried.
  private static func kinds(allowsHardware: Bool) -> [cvideo_kind] {
    (allowsHardware ? [CVIDEO_V4L2, CVIDEO_VAAPI] : []) + [CVIDEO_SOFTWARE]
  }

  /// The encoders in the order in which they are tried: libavcodec's name of each, and whether the encoder is hardware.
  /// The list is empty when libavcodec is not installed. It may name hardware encoders that turn out not to open.
  public static func encoders(allowsHardware: Bool) -> [(name: String, isHardware: Bool)] {
    guard cvideo_is_available() else { return [] }
    return kinds(allowsHardware: allowsHardware).map {
      (String(cString: cvideo_encoder_name($0)), $0 != CVIDEO_SOFTWARE)
    }
  }

  private func closeEncoder() {
    if let encoder { cvideo_encoder_destroy(encoder.handle) }
    encoder = nil
  }

  /// Converts a quality of 1 to 100 to a quantizer of 0 to 51. Quality 100 gives 16, whose result people cannot tell
  /// from the original, and quality 1 gives 51, the worst quantizer.
  static func quantizer(_ quality: Int) -> Int { max(0, min(51, Int((51 - 0.35 * Double(quality)).rounded()))) }
}
