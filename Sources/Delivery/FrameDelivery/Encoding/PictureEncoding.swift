internal import CaptureCore
internal import Imaging
internal import VideoCoding

/// Turns a camera's picture into a picture for readers. Thread-bound, as codecs are.
///
/// The third argument is the nominal rate of the pictures, as far as it is known. The last argument asks for a key
/// frame, and the last result says whether the picture is one. Only H.264 has pictures that are no key frames.
typealias EncodePicture =
  (Picture, EncodingKey, Rational?, Bool) throws(CaptureError) -> (picture: Picture, isKeyFrame: Bool)

/// Makes an encoder on the thread that will use it. The encoder's pictures get their memory from the pool.
typealias MakePictureEncoder = @Sendable (FramePool) -> EncodePicture

/// The encoders that outputs use, except in tests.
enum PictureEncoding {
  /// Makes the encoder without the machine's own video encoder: it crops, scales and turns a picture, and then
  /// compresses, decompresses or converts it.
  static let make: MakePictureEncoder = make(usingHardware: false)

  /// - Parameter usingHardware: whether the machine's own encoder encodes video where there is one.
  static func make(usingHardware: Bool) -> MakePictureEncoder {
    { pool in
      let jpeg = JPEGEncoder(pool: pool)
      let h264 = H264Encoder(pool: pool, allowsHardware: usingHardware)
      let converter = PictureConverter(pool: pool)
      return { (picture, key, frameRate, forcesKeyFrame) throws(CaptureError) in
        let picture = try cropped(picture, key, with: converter)
        let isInRange = key.range == nil || key.range == picture.layout.range
        let mapsTones = key.mapsTones && picture.layout.isHighDynamicRange
        let isUntouched =
          picture.layout.size == key.size && key.orientation == .asCaptured && isInRange && !mapsTones
        switch key.format {
        case .jpeg:
          return (try jpeg.encode(picture, quality: key.quality, size: key.size, orientation: key.orientation), true)
        case .h264:
          // The H.264 encoder reads NV12 where it lies, whatever its strides. A picture in another format or size, or
          // one that must be turned, becomes NV12 first.
          let raw = try converter.convert(
            picture, to: .nv12, size: key.size, orientation: key.orientation, mapsTones: mapsTones)
          let coded = try h264.encode(
            raw, quality: key.quality, frameRate: frameRate, forcesKeyFrame: forcesKeyFrame)
          return (coded.picture, coded.isKeyFrame)
        case picture.layout.pixelFormat where isUntouched: return (try packed(picture, pool: pool), true)
        default:
          let converted = try converter.convert(
            picture, to: key.format, size: key.size, orientation: key.orientation, range: key.range,
            mapsTones: mapsTones)
          return (converted, true)
        }
      }
    }
  }

  /// The part of `picture` that is shown. The part of a raw picture shares the picture's memory. A compressed picture
  /// must be decompressed first, in the size in which the part has the size of the result.
  private static func cropped(
    _ picture: Picture, _ key: EncodingKey, with converter: PictureConverter
  ) throws(CaptureError) -> Picture {
    guard let crop = key.crop else { return picture }
    guard picture.layout.pixelFormat.isJPEG else { return try picture.cropped(to: crop) }
    let (size, part) = (picture.layout.size, key.orientation.turned(key.size))
    let whole = Size(
      width: (size.width * part.width + crop.size.width - 1) / crop.size.width,
      height: (size.height * part.height + crop.size.height - 1) / crop.size.height)
    return try converter.convert(picture, to: .yuv420, size: whole).cropped(to: Crop(middle: part, of: whole))
  }

  /// The same picture without padding between lines and planes, as readers of raw pictures expect it.
  ///
  /// - Throws: `processingFailed` when the picture has fewer bytes than its layout says, or its format has no known
  ///   planes; `outOfBuffers` when the pool is used up.
  static func packed(_ picture: Picture, pool: FramePool) throws(CaptureError) -> Picture {
    let from = picture.layout
    guard
      let layout = FrameLayout.packed(
        from.pixelFormat, from.size, range: from.range, matrix: from.matrix, transfer: from.transfer),
      layout.planes.count == from.planes.count,
      // The last line of a cropped picture is shorter than a whole stride.
      zip(from.planes, layout.planes).allSatisfy({
        $0.offset + $0.stride * ($0.rows - 1) + min($0.stride, $1.stride) <= picture.buffer.count
      })
    else {
      throw CaptureError(
        .processingFailed, "A \(from.size) \(from.pixelFormat) picture needs more bytes than it has.",
        metadata: ["size": "\(from.size)", "format": "\(from.pixelFormat)"])
    }
    guard let memory = pool.take(layout.byteCount) else {
      throw CaptureError(
        .outOfBuffers, "The frame pool has no \(layout.byteCount) bytes left for a picture.",
        metadata: ["bytes": "\(layout.byteCount)"])
    }
    picture.buffer.withUnsafeBytes { bytes in
      for (source, target) in zip(from.planes, layout.planes) {
        let count = min(source.stride, target.stride)
        for row in 0..<min(source.rows, target.rows) {
          let line = UnsafeRawBufferPointer(rebasing: bytes[(source.offset + row * source.stride)...].prefix(count))
          UnsafeMutableRawBufferPointer(rebasing: memory.bytes[(target.offset + row * target.stride)...])
            .copyMemory(from: line)
        }
      }
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }
}
