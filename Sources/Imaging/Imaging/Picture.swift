public import CaptureCore

/// Pixels in some format and size: their layout and the memory that holds them.
public struct Picture: Sendable {
  /// The pixel format, size, planes and colours of the picture.
  public var layout: FrameLayout
  /// The memory that holds the pixels, or the compressed bytes.
  public var buffer: FrameBuffer

  /// Creates a picture that lies in `buffer` as `layout` says. The initialiser does not check that the layout fits.
  public init(layout: FrameLayout, buffer: FrameBuffer) {
    self.layout = layout
    self.buffer = buffer
  }
}

extension Frame {
  /// The picture of the frame, without the frame's times. The picture shares the frame's memory.
  public var picture: Picture { Picture(layout: layout, buffer: buffer) }
}

extension PixelFormat {
  /// Whether pictures of this format are compressed, so that their layout has no planes.
  var isCompressed: Bool { isJPEG }

  /// Whether the format carries R, G and B; ``FrameLayout/range`` and ``FrameLayout/matrix`` then mean nothing.
  var isRGB: Bool { self == .rgb24 || self == .bgr24 || isBGRX }

  /// Whether a pixel is B, G, R and a fourth byte, which is opacity or unused. This module gives the fourth byte no
  /// meaning.
  var isBGRX: Bool { self == .abgr32 || self == .xbgr32 || self == .bgr32 }

  /// Whether chroma has as many lines as luma.
  var hasFullHeightChroma: Bool { self == .yuyv || self == .uyvy || self == .yuv422p }

  /// The number of bytes that belong to the picture in each line of plane `index`, and the number of lines of that
  /// plane.
  ///
  /// The result is nil past the last plane, and for formats without planes.
  func plane(_ index: Int, of size: Size) -> (rowBytes: Int, rows: Int)? {
    let (w, h) = (size.width, size.height)
    let (cw, ch) = ((w + 1) / 2, (h + 1) / 2)
    switch (self, index) {
    case (.yuyv, 0), (.uyvy, 0): return (cw * 4, h)
    case (.p010, 0): return (w * 2, h)
    case (.p010, 1): return (cw * 4, ch)
    case (.nv12, 0), (.nv21, 0), (.yuv420, 0), (.yvu420, 0), (.yuv422p, 0), (.grey, 0): return (w, h)
    case (.nv12, 1), (.nv21, 1): return (cw * 2, ch)
    case (.yuv420, 1...2), (.yvu420, 1...2): return (cw, ch)
    case (.yuv422p, 1...2): return (cw, h)
    case (.rgb24, 0), (.bgr24, 0): return (w * 3, h)
    case (.abgr32, 0), (.xbgr32, 0), (.bgr32, 0): return (w * 4, h)
    case (.y10, 0), (.y12, 0), (.y14, 0), (.y16, 0), (.y16BE, 0): return (w * 2, h)
    default: return nil
    }
  }
}

extension Picture {
  /// The largest width and height of a picture, in pixels. libyuv sets the limit, because its scaler counts in 16.16
  /// fixed point. JPEG ends at 65,500 pixels.
  public static let largestSide = 32_768

  /// Checks that every byte that the layout describes lies in the buffer, because C code will read these bytes
  /// unchecked.
  ///
  /// - Throws: `formatNotSupported` for unknown formats, `processingFailed` for an impossible size or a plane that does
  ///   not lie within the buffer.
  func validate() throws(CaptureError) {
    let (format, size) = (layout.pixelFormat, layout.size)
    guard size.isValid else {
      throw CaptureError(.processingFailed, "A picture of \(size) cannot be processed.", metadata: ["size": "\(size)"])
    }
    if format.isCompressed { return }
    guard format.plane(0, of: size) != nil else { throw .unsupported(format) }
    var index = 0
    while let (rowBytes, rows) = format.plane(index, of: size) {
      guard index < layout.planes.count, layout.planes[index].holds(rowBytes, rows, in: buffer.count) else {
        throw CaptureError(
          .processingFailed,
          "Plane \(index) of a \(size) \(format) picture needs more than the \(buffer.count) bytes of the picture.",
          metadata: ["plane": "\(index)", "size": "\(size)", "format": "\(format)", "bytes": "\(buffer.count)"])
      }
      index += 1
    }
  }
}

extension FrameLayout.Plane {
  /// Whether `rows` lines of `rowBytes` bytes lie within the first `count` bytes. The last line may be shorter than the
  /// stride.
  fileprivate func holds(_ rowBytes: Int, _ rows: Int, in count: Int) -> Bool {
    guard offset >= 0, offset <= count, stride >= rowBytes, self.rows >= rows else { return false }
    let (body, overflow) = stride.multipliedReportingOverflow(by: rows - 1)
    // libyuv takes strides as 32-bit integers.
    return !overflow && stride <= Int(Int32.max) && body <= count - offset - rowBytes
  }
}

extension CaptureError {
  static func unsupported(_ format: PixelFormat) -> CaptureError {
    CaptureError(
      .formatNotSupported, "Pictures in \(format) cannot be read or made.", metadata: ["format": "\(format)"])
  }

  static func outOfBuffers(_ count: Int) -> CaptureError {
    CaptureError(.outOfBuffers, "The frame pool has no \(count) bytes left.", metadata: ["bytes": "\(count)"])
  }
}

/// A rectangle of pixels within a picture.
public struct Crop: Hashable, Sendable {
  /// The column of the rectangle's left edge in the whole picture, in pixels: an even number.
  public var x: Int
  /// The line of the rectangle's upper edge in the whole picture, in pixels: an even number.
  public var y: Int
  /// The width and height of the rectangle in pixels.
  public var size: Size

  /// Creates a rectangle whose upper left corner is at `x`, `y`, both of which must be even.
  public init(x: Int, y: Int, size: Size) {
    (self.x, self.y, self.size) = (x, y, size)
  }

  /// Creates a rectangle of size `part` in the middle of a picture of size `whole`.
  ///
  /// The left and upper edges move to the next even column and line before them.
  public init(middle part: Size, of whole: Size) {
    x = (whole.width - part.width) / 2 & ~1
    y = (whole.height - part.height) / 2 & ~1
    size = part
  }
}

extension Picture {
  /// Returns the part `crop` of an uncompressed picture. The part shares the picture's memory.
  ///
  /// - Throws: `formatNotSupported` for compressed and unknown formats, `processingFailed` when the part does not lie
  ///   within the picture or the layout does not lie within the buffer.
  public func cropped(to crop: Crop) throws(CaptureError) -> Picture {
    let format = layout.pixelFormat
    if format.isCompressed { throw .unsupported(format) }
    try validate()
    guard crop.x >= 0, crop.y >= 0, crop.size.width > 0, crop.size.height > 0,
      crop.x + crop.size.width <= layout.size.width, crop.y + crop.size.height <= layout.size.height
    else {
      throw CaptureError(
        .processingFailed, "A part of \(crop.size) at \(crop.x), \(crop.y) is not within a picture of \(layout.size).",
        metadata: ["part": "\(crop.size)", "size": "\(layout.size)"])
    }
    return Picture(layout: layout.part(crop), buffer: buffer)
  }
}

extension FrameLayout {
  /// The layout of the part `crop`, in the memory of the whole picture. The picture must be uncompressed and contain
  /// the part.
  public func part(_ crop: Crop) -> FrameLayout {
    var part = self
    part.size = crop.size
    for index in planes.indices {
      // The format tells how many bytes lie left of the part in each line, and how many lines lie above the part.
      let left = pixelFormat.plane(index, of: Size(width: crop.x, height: 1))?.rowBytes ?? 0
      let above = pixelFormat.plane(index, of: Size(width: 1, height: crop.y))?.rows ?? 0
      part.planes[index].offset += above * planes[index].stride + left
      part.planes[index].rows = pixelFormat.plane(index, of: crop.size)?.rows ?? 0
    }
    return part
  }
}

extension Size {
  /// The largest size of the same shape that fits into `bounds`, with even width and height and no larger than this
  /// size.
  ///
  /// A side that would become smaller than 2 stays 2, unless that side of this size is itself smaller.
  public func fitted(into bounds: Size) -> Size {
    guard width > 0, height > 0 else { return self }
    let (bw, bh) = (min(max(bounds.width, 1), width), min(max(bounds.height, 1), height))
    // The comparison multiplies the ratios out instead of dividing. The side with less room decides the scale, and the
    // other side is rounded to the nearest even number.
    if bw * height <= bh * width {
      return Size(
        width: Self.even(bw, of: width), height: Self.nearestEven(height * bw, over: width, atMost: bh, height))
    }
    return Size(width: Self.nearestEven(width * bh, over: height, atMost: bw, width), height: Self.even(bh, of: height))
  }

  /// Whether both sides are between 1 and the largest side that this module can process.
  var isValid: Bool { (1...Picture.largestSide).contains(width) && (1...Picture.largestSide).contains(height) }

  private static func even(_ value: Int, of original: Int) -> Int { max(value & ~1, min(2, original)) }

  private static func nearestEven(_ numerator: Int, over divisor: Int, atMost limit: Int, _ original: Int) -> Int {
    even(min((numerator + divisor) / (2 * divisor) * 2, limit), of: original)
  }
}
