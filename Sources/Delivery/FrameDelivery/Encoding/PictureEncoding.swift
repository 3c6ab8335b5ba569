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

/// How large a picture may be: the reader's request limits its pixels, and the reader's message limits its bytes.
enum PictureFit {
  /// The scale of a picture that is not reduced. A scale is a number of 64ths of the picture's sides.
  static let fullScale = 64

  /// `size` fitted into `box` and then reduced to `scale` 64ths of its sides. Never larger than `size`; the sides are
  /// even wherever the size is reduced. Nil for `box` sets no limit.
  static func size(_ size: Size, into box: Size?, scale: Int) -> Size {
    var fitted = size
    // A size that fits stays as it is: an odd size need not become even.
    if let box, size.width > box.width || size.height > box.height { fitted = size.fitted(into: box) }
    if scale >= fullScale { return fitted }
    return even(fitted, width: fitted.width * scale / fullScale)
  }

  /// The size of a picture that must have the shape of `box`: `box` itself, or `box` fitted into `size` if `box` is
  /// larger; then reduced to `scale` 64ths of its sides.
  static func size(_ size: Size, shapedAs box: Size, scale: Int) -> Size {
    self.size(box.fitted(into: size), into: nil, scale: scale)
  }

  /// The largest part of a picture of `size` that has the shape of `box`. The part lies in the middle of the picture,
  /// on even columns and lines.
  ///
  /// - Returns: nil when the part is the whole picture.
  static func middle(of size: Size, shapedAs box: Size) -> Crop? {
    // Multiplying crosswise compares the two ratios without dividing.
    let isTooWide = size.width * box.height > size.height * box.width
    let part = Size(
      width: isTooWide ? max(2, size.height * box.width / box.height & ~1) : size.width,
      height: isTooWide ? size.height : max(2, size.width * box.height / box.width & ~1))
    return part == size || part.width > size.width || part.height > size.height ? nil : Crop(middle: part, of: size)
  }

  /// The largest size with the aspect of `size`, and not larger than `size`, whose raw picture takes at most `limit`
  /// bytes.
  static func size(_ size: Size, as format: PixelFormat, maxBytes limit: Int) -> Size {
    func bytes(_ size: Size) -> Int { FrameLayout.packed(format, size)?.byteCount ?? 0 }
    guard bytes(size) > limit else { return size }
    // The ratio of the areas gives a first guess that is slightly too large. The loop then goes down to the size that
    // fits.
    let side = (Double(limit) / Double(bytes(size))).squareRoot()
    var fitted = even(size, width: Int((Double(size.width) * side).rounded(.up)) + 2)
    while bytes(fitted) > limit && fitted.width > 2 { fitted = even(size, width: fitted.width - 2) }
    return fitted
  }

  /// The scale to try after a JPEG of `bytes` at `scale` turned out larger than `limit` bytes. The ratio of the areas
  /// gives the new scale, with a tenth to spare. The new scale is always smaller than `scale`, but at least 1.
  static func smallerScale(than scale: Int, bytes: Int, limit: Int) -> Int {
    let side = (0.9 * Double(limit) / Double(max(bytes, 1))).squareRoot()
    return max(1, min(scale - 1, Int(Double(scale) * side)))
  }

  private static func even(_ size: Size, width: Int) -> Size {
    let height = Int((Double(width) * Double(size.height) / Double(size.width)).rounded())
    return Size(width: max(2, width & ~1), height: max(2, height & ~1))
  }
}
