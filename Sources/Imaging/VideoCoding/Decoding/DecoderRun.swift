internal import CVideoCoding
internal import CaptureCore

/// One decoder of a camera's pictures, and where it is in their stream. Only one thread at a time uses it.
final class DecoderRun {
  /// The number of pictures to decode before another one from which on a key frame is worth its bytes.
  private static let longWay = 60
  /// The decoded pictures for which there is memory: those that a photo merges, and those on their way.
  private static let pictures = 12

  private let format: PixelFormat
  private let pool = FramePool(budget: 0)
  private var handle: OpaquePointer?
  /// The number and the place of the picture that was decoded last. Nil when the decoder can only begin with a key
  /// frame.
  private var last: (number: UInt64, place: Int)?
  /// The group of that picture. A strong reference would keep the pictures, and their stream by its decoder.
  private weak var group: CodedGroup?
  private var newest: (number: UInt64, layout: FrameLayout, buffer: FrameBuffer)?

  /// - Parameter format: `h264` or `hevc`.
  init(_ format: PixelFormat) { self.format = format }

  deinit { if let handle { cvideo_decoder_destroy(handle) } }

  /// Whether a later picture was decoded last, so that this one needs all pictures from its key frame on once more.
  func isBeyond(_ picture: CodedPicture) -> Bool {
    last.map { $0.number > picture.link.number } ?? false
  }

  /// Decodes a picture, and before it those that it needs.
  ///
  /// - Parameter layout: that of the frame, whose colours count where the picture tells none.
  /// - Throws: as ``CodedPictureDecoding/decode(_:of:isAside:)``.
  func decode(
    _ picture: CodedPicture, of layout: FrameLayout
  ) throws(CaptureError) -> (layout: FrameLayout, buffer: FrameBuffer) {
    let number = picture.link.number
    if let newest, newest.number == number { return (newest.layout, newest.buffer) }
    guard !picture.group.isDamaged(at: picture.place) else { throw .undecodable(format) }
    let handle = try open()
    let former = group === picture.group ? last : nil
    let goesOn = former.map { $0.place < picture.place } ?? false
    if !goesOn { cvideo_decoder_reset(handle) }
    let first = goesOn ? former!.place + 1 : 0
    let pictures = picture.group.pictures(first...picture.place)
    if pictures.count > Self.longWay { picture.stream.requestKeyFrame() }
    last = nil
    var decoded = cvideo_decoded()
    var result = CVIDEO_FAILED
    for (place, buffer) in zip(first..., pictures) {
      result = buffer.withUnsafeBytes {
        cvideo_decoder_decode(
          handle, $0.baseAddress!.assumingMemoryBound(to: UInt8.self), $0.count, Int64(place), &decoded)
      }
      guard result != CVIDEO_FAILED else { throw damage(in: picture, at: place) }
    }
    if result == CVIDEO_LATE || Int(decoded.number) != picture.place {
      // The decoder waits for later pictures before it gives this one. It begins anew afterwards.
      guard cvideo_decoder_drain(handle, &decoded) == CVIDEO_OK, Int(decoded.number) == picture.place else {
        throw damage(in: picture, at: picture.place)
      }
    } else {
      (last, group) = ((number, picture.place), picture.group)
    }
    let (layout, buffer) = try copy(decoded, layout)
    newest = (number, layout, buffer)
    return (layout, buffer)
  }

  /// Notes that the picture at a place cannot be decoded, and neither can those after it up to the next key frame.
  private func damage(in picture: CodedPicture, at place: Int) -> CaptureError {
    picture.group.markDamaged(at: place)
    picture.stream.requestKeyFrame()
    return .undecodable(format)
  }

  private func open() throws(CaptureError) -> OpaquePointer {
    if let handle { return handle }
    let (opened, message) = withMessage { cvideo_decoder_create(format == .hevc, $0) }
    guard let opened else {
      throw CaptureError(
        .formatNotSupported,
        "The camera's \(format) cannot be decoded: \(message); install FFmpeg's libavcodec, or watch it as \(format).",
        metadata: ["format": "\(format)", "cause": message])
    }
    handle = opened
    return opened
  }

  /// Copies the picture, because the decoder needs its own memory for the pictures that follow.
  private func copy(
    _ decoded: cvideo_decoded, _ told: FrameLayout
  ) throws(CaptureError) -> (FrameLayout, FrameBuffer) {
    guard
      let pixelFormat = decoded.pixelFormat,
      let layout = FrameLayout.packed(
        pixelFormat, Size(width: Int(decoded.width), height: Int(decoded.height)),
        range: decoded.has_range ? decoded.is_full_range ? .full : .limited : told.range,
        matrix: decoded.has_matrix ? decoded.frameMatrix : told.matrix)
    else {
      throw CaptureError(
        .formatNotSupported, "The camera's \(format) has more than eight bits a sample or other chroma than 4:2:0.",
        metadata: ["format": "\(format)"])
    }
    pool.setBounds(budget: max(64 << 20, Self.pictures * layout.byteCount), kept: 0)
    guard let memory = pool.take(layout.byteCount) else {
      throw CaptureError(
        .outOfBuffers, "The frame pool has no \(layout.byteCount) bytes left for a decoded picture.",
        metadata: ["bytes": "\(layout.byteCount)"])
    }
    let sources = [
      (decoded.data.0, decoded.strides.0), (decoded.data.1, decoded.strides.1), (decoded.data.2, decoded.strides.2),
    ]
    for (plane, (source, stride)) in zip(layout.planes, sources) {
      guard let source else { throw .undecodable(format) }
      for row in 0..<plane.rows {
        (memory.bytes.baseAddress! + plane.offset + plane.stride * row)
          .copyMemory(from: source + Int(stride) * row, byteCount: plane.stride)
      }
    }
    return (layout, memory.freeze(count: layout.byteCount))
  }
}

extension cvideo_decoded {
  fileprivate var pixelFormat: PixelFormat? {
    guard is_readable else { return nil }
    return switch pixels {
    case CVIDEO_YUV422: .yuv422p
    case CVIDEO_GREY: .grey
    default: .yuv420
    }
  }

  fileprivate var frameMatrix: FrameLayout.Matrix {
    switch matrix {
    case CVIDEO_BT2020: .bt2020
    case CVIDEO_BT709: .bt709
    default: .bt601
    }
  }
}

extension CaptureError {
  fileprivate static func undecodable(_ format: PixelFormat) -> CaptureError {
    CaptureError(
      .frameDamaged, "The camera's \(format) picture cannot be decoded.", metadata: ["format": "\(format)"])
  }
}
