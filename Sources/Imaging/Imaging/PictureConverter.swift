internal import CYUV
public import CaptureCore

/// Converts pictures to another pixel format, size and orientation. Thread-bound (not Sendable): each encoder thread
/// needs its own converter.
///
/// The converter keeps its scratch memory from picture to picture. YUV keeps the range and matrix of the source, and
/// the layout of the result names both. RGB becomes limited-range BT.601, and JPEG becomes full-range BT.601. Wide grey
/// becomes grey of eight bits, in which the values that the picture uses reach from black to white
/// (``WideGreyStretcher``).
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

  /// - Parameter pool: The pool from which converted pictures take their memory. Scratch memory does not come from the
  ///   pool.
  public init(pool: FramePool) { self.pool = pool }

  /// Whether the converter can convert a picture in the format `from` to the format `to`, at any size. Pictures in wide
  /// grey are made of the same format alone, and in the same size: they can be turned.
  public static func canConvert(_ from: PixelFormat, to: PixelFormat) -> Bool {
    if to.isWideGrey { return from == to }
    let one = Size(width: 1, height: 1)
    return (from.isCompressed || from.plane(0, of: one) != nil) && to.plane(0, of: one) != nil
  }

  /// A function that draws on the result of ``convert(_:to:size:orientation:range:mapsTones:finish:)``.
  ///
  /// `memory` is the start of the result, which lies there as `layout` says.
  public typealias Finish = (_ layout: FrameLayout, _ memory: UnsafeMutablePointer<UInt8>) -> Void

  /// Converts, scales and turns `picture`. The result is `picture` itself when nothing has to change.
  ///
  /// The planes of the result follow each other without padding. When the converter shrinks a picture, each pixel
  /// becomes the average of a box of whole pixels; from RGB to RGB that holds for even factors only, and other factors
  /// are bilinear. Enlarging is bilinear. The result has exactly the size that is asked for, whatever the shape of
  /// `picture`; ``Size/fitted(into:)`` finds a size of the same shape.
  ///
  /// - Parameters:
  ///   - format: Any uncompressed format that has a static name in ``PixelFormat``; see ``canConvert(_:to:)``.
  ///   - size: The size of the result, after turning; nil keeps the size.
  ///   - orientation: How the converter turns the picture. The converter scales first, so that it has to turn fewer
  ///     pixels when it shrinks.
  ///   - range: The range of luma and chroma in the result; nil keeps the range that the description of the type gives.
  ///     RGB ignores the range.
  ///   - mapsTones: Whether a picture of high dynamic range becomes BT.709 with the tones that screens show, in limited
  ///     range unless `range` says otherwise. Without tone mapping the samples keep their values, as far as `format`
  ///     has enough bits.
  ///   - finish: A function that draws on the result before the converter returns it. With `finish` the result never
  ///     shares the memory of `picture`.
  /// - Throws: `formatNotSupported` when a format cannot be read or made, `processingFailed` when the picture's bytes
  ///   do not match its layout, `frameDamaged` when its JPEG is damaged, `outOfBuffers` when memory is used up,
  ///   `invalidArgument` for an impossible size.
  public func convert(
    _ picture: Picture, to format: PixelFormat, size: Size? = nil, orientation: Orientation = .asCaptured,
    range: FrameLayout.Range? = nil, mapsTones: Bool = false, finish: Finish? = nil
  ) throws(CaptureError) -> Picture {
    try picture.validate()
    let from = picture.layout
    let mapsTones = mapsTones && from.isHighDynamicRange
    let size = size ?? orientation.turned(from.size)
    guard size.isValid else { throw .impossible(size) }
    let isInRange = format.isRGB || format.isWideGrey || range == nil || range == from.range
    if format == from.pixelFormat, size == from.size, orientation == .asCaptured, isInRange, !mapsTones, finish == nil {
      return picture
    }
    guard Self.canConvert(from.pixelFormat, to: format) else { throw .unsupported(format) }

    if format.isWideGrey {
      guard size == orientation.turned(from.size) else { throw .unsupported(format) }
      return try write(from.inFormat(format, size), finish) { layout, target in
        picture.buffer.withUnsafeBytes { turner.turnWideSamples(from, $0.bytes, into: layout, target, orientation) }
      }
    }
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

  /// The layout of the result of ``convert(_:to:size:orientation:range:mapsTones:finish:)``, except when RGB is made
  /// from RGB; nil for a format without planes.
  ///
  /// - Parameters:
  ///   - from: The layout of the source.
  ///   - format: The format of the result.
  ///   - size: The size of the result, after turning.
  ///   - range: The range of the result; nil keeps the range that the description of the type gives.
  ///   - mapsTones: Whether the conversion maps a picture of high dynamic range to the tones that screens show.
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

  /// Scales `planes` to the size of `layout` and turns them; returns `planes` themselves when they need not be turned.
  private func turned(_ planes: Planes, to layout: FrameLayout, _ orientation: Orientation) -> Planes {
    guard orientation != .asCaptured else { return planes }
    let format = layout.pixelFormat
    let keepsChromaLines = format.hasFullHeightChroma || format.isRGB && planes.chroma.height == planes.size.height
    return turner.turn(
      planes, orientation, to: layout.size, chroma: keepsChromaLines ? layout.size.chroma422 : layout.size.chroma420)
  }

  /// Converts `planes` to the range of `layout`.
  ///
  /// The result is `planes` themselves when they have that range, and when the target is RGB, which the packer makes
  /// from either range.
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

  /// Scales and turns a validated picture to 4:2:0 planes with the tones that screens show. RGB becomes full range.
  ///
  /// The planes lie in scratch memory, or in the picture's own memory when nothing has to change. The planes are valid
  /// until the next call, and no longer than the picture exists.
  ///
  /// - Parameter size: The size of the result, after turning.
  /// - Throws: `frameDamaged` when the picture's JPEG is damaged, `formatNotSupported` when that JPEG is neither YCbCr
  ///   nor grey, `outOfBuffers` when memory is used up.
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

  /// Takes memory for a picture from the pool, lets `body` and then `finish` write to the memory, and returns the
  /// picture.
  ///
  /// - Parameter layout: A layout in a format that ``canConvert(_:to:)`` accepts as a target. Nil is a programming
  ///   error.
  /// - Throws: `outOfBuffers` when the pool is used up.
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

  /// Converts RGB to RGB without the loss of colour resolution that a detour through 4:2:0 has.
  ///
  /// The steps are: first the order of bytes, then the size, then the orientation.
  private func repack(
    _ from: FrameLayout, _ source: UnsafePointer<UInt8>, into layout: FrameLayout,
    _ target: UnsafeMutablePointer<UInt8>, _ orientation: Orientation
  ) {
    let (width, height) = (Int32(from.size.width), Int32(from.size.height))
    var (pixels, stride) = (source + from.planes[0].offset, Int32(from.planes[0].stride))
    // libyuv scales and rotates pixels of four bytes, so each line has to begin at a whole pixel.
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
  /// The layout of a picture with the same colours in another format and size, without padding; nil for a format
  /// without planes.
  fileprivate func inFormat(_ format: PixelFormat, _ size: Size) -> FrameLayout? {
    .packed(format, size, range: range, matrix: matrix, transfer: transfer)
  }
}

extension UnsafeRawBufferPointer {
  /// The address of the first byte. The memory must not be empty.
  var bytes: UnsafePointer<UInt8> { baseAddress!.assumingMemoryBound(to: UInt8.self) }
}

extension CaptureError {
  static func impossible(_ size: Size) -> CaptureError {
    CaptureError(
      .invalidArgument, "A picture of \(size) cannot be made: both sides must be 1 to \(Picture.largestSide).",
      metadata: ["size": "\(size)", "maximum": "\(Picture.largestSide)"], field: "size")
  }
}
