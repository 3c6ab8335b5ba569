internal import CYUV
public import CaptureCore

/// Converts pictures to another pixel format and size. Thread-bound (not Sendable): one per encoder thread.
///
/// It keeps its scratch memory from picture to picture. YUV stays in the range and matrix it came in, and the result's
/// layout says which; RGB becomes limited-range BT.601, JPEG is full-range BT.601.
public final class PictureConverter {
  private let pool: FramePool
  private let unpacker = Unpacker()
  private let packer = Packer()
  private let turner = Turner()
  private let scaled = ScratchMemory()
  private let rgb = ScratchMemory()
  private let scaledRGB = ScratchMemory()
  private let turnedRGB = ScratchMemory()
  private let ranged = ScratchMemory()
  private lazy var reader = JPEGReader()
  private lazy var toneMapper = ToneMapper()

  /// - Parameter pool: where converted pictures get their memory. Scratch memory is not taken from it.
  public init(pool: FramePool) { self.pool = pool }

  /// Whether `from` can be converted to `to`, at any size.
  public static func canConvert(_ from: PixelFormat, to: PixelFormat) -> Bool {
    let one = Size(width: 1, height: 1)
    return (from.isCompressed || from.plane(0, of: one) != nil) && to.plane(0, of: one) != nil
  }

  /// See ``convert(_:to:size:orientation:range:mapsTones:finish:)``.
  public typealias Finish = (_ layout: FrameLayout, _ memory: UnsafeMutablePointer<UInt8>) -> Void

  /// Converts, scales and turns. Gives `picture` itself when there is nothing to do.
  ///
  /// The result's planes lie one after the other without padding. Shrinking averages boxes of whole pixels (RGB to
  /// RGB only by even factors, else it is bilinear), enlarging is bilinear; shape is not kept, see
  /// ``Size/fitted(into:)``.
  ///
  /// - Parameters:
  ///   - format: any uncompressed format with a static name in ``PixelFormat``.
  ///   - size: of the result, after turning; nil keeps the size.
  ///   - orientation: how to turn it. Scaling comes first, so that fewer pixels are moved.
  ///   - range: of luma and chroma in the result; nil leaves it as described above. RGB has none.
  ///   - mapsTones: whether a picture of high dynamic range becomes limited-range BT.709 as screens show it, unless `range`
  ///     says otherwise. Else its samples stay what they are, as far as the format has the bits.
  ///   - finish: draws on the result before anybody sees it; with it there is always a picture of its own. The memory is
  ///     the result's, as its layout says.
  /// - Throws: `formatNotSupported`, `processingFailed` when the picture's bytes are not what its layout says,
  ///   `frameDamaged` when its JPEG is damaged, `outOfBuffers` when the pool is used up, `invalidArgument` for an impossible size.
  public func convert(
    _ picture: Picture, to format: PixelFormat, size: Size? = nil, orientation: Orientation = .asCaptured,
    range: FrameLayout.Range? = nil, mapsTones: Bool = false, finish: Finish? = nil
  ) throws(CaptureError) -> Picture {
    try picture.validate()
    let from = picture.layout
    let mapsTones = mapsTones && from.isHighDynamicRange
    let size = size ?? orientation.turned(from.size)
    guard size.isValid else { throw .impossible(size) }
    let isInRange = format.isRGB || range == nil || range == from.range
    if format == from.pixelFormat, size == from.size, orientation == .asCaptured, isInRange, !mapsTones, finish == nil {
      return picture
    }
    guard Self.canConvert(from.pixelFormat, to: format) else { throw .unsupported(format) }

    let result = Self.layout(of: from, in: format, size, range: range, mapsTones: mapsTones)
    if from.pixelFormat.isRGB, format.isRGB, !mapsTones {
      return try write(from.inFormat(format, size), finish) { layout, target in
        picture.buffer.withUnsafeBytes { repack(from, $0.bytes, into: layout, target, orientation) }
      }
    }
    if from.pixelFormat.isCompressed {
      let planes = try reader.planes(picture, atLeast: orientation.turned(size))
      return try write(result, finish) { layout, target in
        packer.pack(inRange(turned(planes, to: layout, orientation), of: layout), into: layout, target)
      }
    }
    return try write(result, finish) { layout, target in
      picture.buffer.withUnsafeBytes {
        let planes =
          mapsTones
          ? toneMapper.planes(from, $0.bytes)
          : unpacker.planes(
            from, $0.bytes, rows: 0..<from.size.height, keepsChromaLines: format.hasFullHeightChroma || format.isRGB,
            rgbRange: layout.range)
        packer.pack(inRange(turned(planes, to: layout, orientation), of: layout), into: layout, target)
      }
    }
  }

  /// How ``convert(_:to:size:orientation:range:mapsTones:finish:)`` lays out its result, but for RGB made of RGB; nil for a
  /// format without planes.
  public static func layout(
    of from: FrameLayout, in format: PixelFormat, _ size: Size, range: FrameLayout.Range?, mapsTones: Bool
  ) -> FrameLayout? {
    if from.pixelFormat.isCompressed {
      return .packed(format, size, range: range ?? .full, matrix: .bt601)
    }
    var colors = from
    if from.pixelFormat.isRGB { (colors.range, colors.matrix) = (.limited, .bt601) }
    if mapsTones, from.isHighDynamicRange {
      (colors.range, colors.matrix, colors.transfer) = (.limited, .bt709, .standard)
    }
    if let range { colors.range = range }
    return colors.inFormat(format, size)
  }

  /// `planes` at the size of `layout` and turned; themselves when they need not be.
  private func turned(_ planes: Planes, to layout: FrameLayout, _ orientation: Orientation) -> Planes {
    guard orientation != .asCaptured else { return planes }
    let format = layout.pixelFormat
    let keepsChromaLines = format.hasFullHeightChroma || format.isRGB && planes.chroma.height == planes.size.height
    return turner.turn(
      planes, orientation, to: layout.size, chroma: keepsChromaLines ? layout.size.chroma422 : layout.size.chroma420)
  }

  /// `planes` in the range of `layout`; themselves when they have it, and where RGB is made of them in either.
  private func inRange(_ planes: Planes, of layout: FrameLayout) -> Planes {
    guard !layout.pixelFormat.isRGB, planes.range != layout.range else { return planes }
    var result = ranged.planes(planes.size, chroma: planes.chroma, range: layout.range, matrix: planes.matrix)
    let (luma, chroma) =
      layout.range == .full
      ? (cyuv_expand_luma, cyuv_expand_chroma) : (cyuv_compress_luma, cyuv_compress_chroma)
    for line in 0..<planes.size.height {
      luma(planes.y + planes.yStride * line, result.y + result.yStride * line, planes.size.width)
    }
    if planes.isGrey {
      (result.u, result.v, result.uStride, result.vStride, result.isGrey) = (planes.u, planes.v, 0, 0, true)
      return result
    }
    for line in 0..<planes.chroma.height {
      chroma(planes.u + planes.uStride * line, result.u + result.uStride * line, planes.chroma.width)
      chroma(planes.v + planes.vStride * line, result.v + result.vStride * line, planes.chroma.width)
    }
    return result
  }

  /// Scales and turns a validated picture to 4:2:0 planes in scratch memory, or where they lie, as screens show it. RGB
  /// becomes full range.
  ///
  /// The planes are valid until the next call and as long as the picture. `size` is that of the result.
  func planes(_ picture: Picture, size: Size, orientation: Orientation) throws(CaptureError) -> Planes {
    let source: Planes
    if picture.layout.pixelFormat.isCompressed {
      source = try reader.planes(picture, atLeast: orientation.turned(size))
    } else {
      source = picture.buffer.withUnsafeBytes {
        if picture.layout.isHighDynamicRange { return toneMapper.planes(picture.layout, $0.bytes) }
        return unpacker.planes(picture.layout, $0.bytes, rows: 0..<picture.layout.size.height, rgbRange: .full)
      }
    }
    if orientation != .asCaptured { return turner.turn(source, orientation, to: size, chroma: size.chroma420) }
    if source.size == size, source.chroma == size.chroma420 { return source }
    var target = scaled.planes(size, chroma: size.chroma420, range: source.range, matrix: source.matrix)
    source.scale(into: target)
    if source.isGrey {
      (target.u, target.v, target.uStride, target.vStride, target.isGrey) = (source.u, source.v, 0, 0, true)
    }
    return target
  }

  /// - Parameter layout: of a format that ``canConvert(_:to:)`` to.
  private func write(
    _ layout: FrameLayout?, _ finish: Finish?, _ body: (FrameLayout, UnsafeMutablePointer<UInt8>) -> Void
  ) throws(CaptureError) -> Picture {
    guard let layout else { preconditionFailure("only formats with planes are made") }
    guard let memory = pool.take(layout.byteCount) else { throw .outOfBuffers(layout.byteCount) }
    let target = memory.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
    body(layout, target)
    finish?(layout, target)
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }

  /// RGB to RGB without losing colour resolution in between. Order of bytes first, then size, then orientation.
  private func repack(
    _ from: FrameLayout, _ source: UnsafePointer<UInt8>, into layout: FrameLayout,
    _ target: UnsafeMutablePointer<UInt8>, _ orientation: Orientation
  ) {
    let (width, height) = (Int32(from.size.width), Int32(from.size.height))
    var (pixels, stride) = (source + from.planes[0].offset, Int32(from.planes[0].stride))
    // libyuv rotates whole pixels: a line must not begin in the middle of one.
    if !from.pixelFormat.isBGRX || stride % 4 != 0 {
      let copy = rgb.reserve(from.size.pixelCount * 4)
      let unpack = from.pixelFormat.isBGRX ? ARGBCopy : from.pixelFormat == .bgr24 ? RGB24ToARGB : RAWToARGB
      _ = unpack(pixels, stride, copy, width * 4, width, height)
      (pixels, stride) = (UnsafePointer(copy), width * 4)
    }
    let before = orientation.turned(layout.size)
    let isLast = layout.pixelFormat.isBGRX && orientation == .asCaptured
    if before != from.size {
      let copy = isLast ? target : scaledRGB.reserve(before.pixelCount * 4)
      let (newWidth, newHeight) = (Int32(before.width), Int32(before.height))
      ARGBScale(pixels, stride, width, height, copy, newWidth * 4, newWidth, newHeight, kFilterBox)
      (pixels, stride) = (UnsafePointer(copy), newWidth * 4)
    }
    let (newWidth, newHeight) = (Int32(layout.size.width), Int32(layout.size.height))
    if orientation != .asCaptured {
      let copy = layout.pixelFormat.isBGRX ? target : turnedRGB.reserve(layout.size.pixelCount * 4)
      Turner.turnPixels(pixels, Int(stride), before, copy, Int(newWidth) * 4, orientation)
      (pixels, stride) = (UnsafePointer(copy), newWidth * 4)
    }
    let step = Int32(layout.planes[0].stride)
    switch layout.pixelFormat {
    case .bgr24: _ = ARGBToRGB24(pixels, stride, target, step, newWidth, newHeight)
    case .rgb24: _ = ARGBToRAW(pixels, stride, target, step, newWidth, newHeight)
    default: if pixels != UnsafePointer(target) { _ = ARGBCopy(pixels, stride, target, step, newWidth, newHeight) }
    }
    if layout.pixelFormat == .abgr32, from.pixelFormat != .abgr32 { cyuv_set_opaque(target, layout.size.pixelCount) }
  }
}

extension FrameLayout {
  /// The same colours in another format; nil for one without planes.
  fileprivate func inFormat(_ format: PixelFormat, _ size: Size) -> FrameLayout? {
    .packed(format, size, range: range, matrix: matrix, transfer: transfer)
  }
}

extension UnsafeRawBufferPointer {
  /// The start, of memory that is known not to be empty.
  var bytes: UnsafePointer<UInt8> { baseAddress!.assumingMemoryBound(to: UInt8.self) }
}

extension CaptureError {
  static func impossible(_ size: Size) -> CaptureError {
    CaptureError(
      .invalidArgument, "A picture of \(size) cannot be made: both sides must be 1 to \(Picture.largestSide).",
      metadata: ["size": "\(size)", "maximum": "\(Picture.largestSide)"], field: "size")
  }
}
