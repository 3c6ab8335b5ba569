internal import CaptureCore
internal import Imaging
internal import VideoCoding

/// Turns a camera's picture into one that readers get. Thread-bound, as codecs are. The last argument asks for a key frame,
/// the last result says whether it is one: of H.264, others always are.
typealias EncodePicture = (Picture, EncodingKey, Bool) throws(CaptureError) -> (picture: Picture, isKeyFrame: Bool)

/// Makes an encoder on the thread that will use it, with the memory its pictures come from.
typealias MakePictureEncoder = @Sendable (FramePool) -> EncodePicture

enum PictureEncoding {
  /// The real encoder: scales and turns, then compresses, decompresses or converts.
  static let make: MakePictureEncoder = make(usingHardware: false)

  /// - Parameter usingHardware: whether video is encoded by the machine's own encoder where there is one.
  static func make(usingHardware: Bool) -> MakePictureEncoder {
    { pool in
      let jpeg = JPEGEncoder(pool: pool)
      let h264 = H264Encoder(pool: pool, allowsHardware: usingHardware)
      let converter = PictureConverter(pool: pool)
      return { (picture, key, forcesKeyFrame) throws(CaptureError) in
        let picture = try cropped(picture, key, with: converter)
        let isInRange = key.range == nil || key.range == picture.layout.range
        let mapsTones = key.mapsTones && picture.layout.isHighDynamicRange
        let isUntouched =
          picture.layout.size == key.size && key.orientation == .asCaptured && isInRange && !mapsTones
        switch key.format {
        case .jpeg:
          return (try jpeg.encode(picture, quality: key.quality, size: key.size, orientation: key.orientation), true)
        case .h264:
          // NV12 as it lies, whatever its strides; else scaled and turned to it.
          let raw = try converter.convert(
            picture, to: .nv12, size: key.size, orientation: key.orientation, mapsTones: mapsTones)
          let coded = try h264.encode(raw, quality: key.quality, forcesKeyFrame: forcesKeyFrame)
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

  /// The part of `picture` that is shown: the memory is shared, but what is compressed has to be decompressed, at the size
  /// of the result.
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

  /// The same picture without padding between lines and planes, which readers of raw pictures expect.
  static func packed(_ picture: Picture, pool: FramePool) throws(CaptureError) -> Picture {
    let from = picture.layout
    guard
      let layout = FrameLayout.packed(
        from.pixelFormat, from.size, range: from.range, matrix: from.matrix, transfer: from.transfer),
      layout.planes.count == from.planes.count,
      // The last line of a part of a picture is not a whole stride.
      zip(from.planes, layout.planes).allSatisfy({
        $0.offset + $0.stride * ($0.rows - 1) + min($0.stride, $1.stride) <= picture.buffer.count
      })
    else {
      throw CaptureError(
        .processingFailed, "A \(from.size) \(from.pixelFormat) picture does not lie in its bytes.",
        metadata: ["size": "\(from.size)", "format": "\(from.pixelFormat)"])
    }
    guard let memory = pool.take(layout.byteCount) else {
      throw CaptureError(
        .outOfBuffers, "No \(layout.byteCount) bytes are left for a picture.",
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
