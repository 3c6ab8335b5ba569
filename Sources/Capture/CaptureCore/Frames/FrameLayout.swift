/// How a picture lies in one contiguous piece of memory.
public struct FrameLayout: Hashable, Sendable {
  /// One plane of a raw picture.
  public struct Plane: Hashable, Sendable {
    /// Bytes from the start of the frame's memory.
    public var offset: Int
    /// Bytes from one line to the next.
    public var stride: Int
    /// Lines in this plane.
    public var rows: Int

    public init(offset: Int, stride: Int, rows: Int) {
      self.offset = offset
      self.stride = stride
      self.rows = rows
    }
  }

  /// `limited` is Y 16…235 (the usual of video), `full` is 0…255 (JPEG).
  public enum Range: Hashable, Sendable { case limited, full }

  /// Which matrix relates RGB and YCbCr. BT.2020, without constant luminance, stands for that standard's primaries too;
  /// the others for those of BT.709.
  public enum Matrix: Hashable, Sendable { case bt601, bt709, bt2020 }

  /// How samples relate to light: as on any screen, or as SMPTE ST 2084 (PQ), up to 10,000 cd/m².
  public enum Transfer: Hashable, Sendable { case standard, pq }

  public var pixelFormat: PixelFormat
  public var size: Size
  /// Empty for compressed formats.
  public var planes: [Plane]
  public var range: Range
  public var matrix: Matrix
  public var transfer: Transfer

  public init(
    pixelFormat: PixelFormat, size: Size, planes: [Plane], range: Range = .limited, matrix: Matrix = .bt601,
    transfer: Transfer = .standard
  ) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.planes = planes
    self.range = range
    self.matrix = matrix
    self.transfer = transfer
  }

  /// Whether it is more than people's screens show: more than eight bits, more light or more colours.
  public var isHighDynamicRange: Bool { pixelFormat == .p010 || transfer == .pq || matrix == .bt2020 }

  /// The layout without padding between lines or planes.
  ///
  /// - Returns: nil for pixel formats whose planes are not known here; `planes` is empty for compressed ones.
  public static func packed(
    _ format: PixelFormat, _ size: Size, range: Range = .limited, matrix: Matrix = .bt601,
    transfer: Transfer = .standard
  ) -> FrameLayout? {
    let (w, h) = (size.width, size.height)
    let (cw, ch) = ((w + 1) / 2, (h + 1) / 2)
    let shapes: [(stride: Int, rows: Int)]
    switch format {
    case .mjpeg, .jpeg: shapes = []
    case .yuyv, .uyvy: shapes = [(cw * 4, h)]
    case .nv12, .nv21: shapes = [(w, h), (cw * 2, ch)]
    case .p010: shapes = [(w * 2, h), (cw * 4, ch)]
    case .yuv420, .yvu420: shapes = [(w, h), (cw, ch), (cw, ch)]
    case .yuv422p: shapes = [(w, h), (cw, h), (cw, h)]
    case .grey: shapes = [(w, h)]
    case .rgb24, .bgr24: shapes = [(w * 3, h)]
    case .abgr32, .xbgr32, .bgr32: shapes = [(w * 4, h)]
    default: return nil
    }
    var offset = 0
    var planes: [Plane] = []
    for shape in shapes {
      planes.append(Plane(offset: offset, stride: shape.stride, rows: shape.rows))
      offset += shape.stride * shape.rows
    }
    return FrameLayout(
      pixelFormat: format, size: size, planes: planes, range: range, matrix: matrix, transfer: transfer)
  }

  /// Bytes the planes span; 0 for compressed formats, whose frames differ in length.
  public var byteCount: Int { planes.reduce(0) { max($0, $1.offset + $1.stride * $1.rows) } }
}
