/// How a picture lies in one contiguous piece of memory.
public struct FrameLayout: Hashable, Sendable {
  /// One plane of an uncompressed picture.
  public struct Plane: Hashable, Sendable {
    /// The number of bytes from the start of the frame's memory to the plane.
    public var offset: Int
    /// The number of bytes from the start of one line to the start of the next.
    public var stride: Int
    /// The number of lines in this plane.
    public var rows: Int

    /// Creates a plane.
    ///
    /// - Parameters:
    ///   - offset: bytes from the start of the frame's memory.
    ///   - stride: bytes from the start of one line to the start of the next.
    ///   - rows: the number of lines.
    public init(offset: Int, stride: Int, rows: Int) {
      self.offset = offset
      self.stride = stride
      self.rows = rows
    }
  }

  /// The range of luma: `limited` is 16 to 235, as is usual for video; `full` is 0 to 255, as in JPEG.
  public enum Range: Hashable, Sendable { case limited, full }

  /// The matrix that relates RGB and YCbCr. The matrix also stands for the primaries: BT.2020, which is the variant
  /// without constant luminance, for those of BT.2020; the other two for those of BT.709.
  public enum Matrix: Hashable, Sendable { case bt601, bt709, bt2020 }

  /// How samples relate to light: `standard` as on any screen; `pq` as in SMPTE ST 2084 (PQ), which reaches 10,000
  /// cd/m².
  public enum Transfer: Hashable, Sendable { case standard, pq }

  /// The pixel format of the picture.
  public var pixelFormat: PixelFormat
  /// The size of the picture in pixels.
  public var size: Size
  /// The planes of the picture; empty for a compressed format.
  public var planes: [Plane]
  /// The range of the luma samples.
  public var range: Range
  /// The matrix that relates RGB and YCbCr.
  public var matrix: Matrix
  /// How the samples relate to light.
  public var transfer: Transfer

  /// Creates a layout. By default, its colours are those of standard video: limited range, the BT.601 matrix and the
  /// standard transfer.
  ///
  /// - Parameter planes: the planes of the picture; empty for a compressed format.
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

  /// Whether the picture has more than common screens show: more than eight bits a sample, more light (PQ), or more
  /// colours (BT.2020).
  public var isHighDynamicRange: Bool { pixelFormat == .p010 || transfer == .pq || matrix == .bt2020 }

  /// Whether pictures with this layout can follow those with a former one in the same movie, which says once what its
  /// pictures are: their size, their pixel format, and how their samples relate to colours and to light. Where the
  /// planes lie, and the range of the samples, matter only to what reads them.
  public func continues(_ former: FrameLayout) -> Bool {
    (size, pixelFormat, matrix, transfer) == (former.size, former.pixelFormat, former.matrix, former.transfer)
  }

  /// Makes the layout that has no padding between lines or planes.
  ///
  /// - Returns: nil for a pixel format whose planes Firstlight does not know. For a compressed format, the layout has
  ///   no planes.
  public static func packed(
    _ format: PixelFormat, _ size: Size, range: Range = .limited, matrix: Matrix = .bt601,
    transfer: Transfer = .standard
  ) -> FrameLayout? {
    let (w, h) = (size.width, size.height)
    let (cw, ch) = ((w + 1) / 2, (h + 1) / 2)
    let shapes: [(stride: Int, rows: Int)]
    switch format {
    case .mjpeg, .jpeg, .h264, .hevc: shapes = []
    case .yuyv, .uyvy: shapes = [(cw * 4, h)]
    case .nv12, .nv21: shapes = [(w, h), (cw * 2, ch)]
    case .p010: shapes = [(w * 2, h), (cw * 4, ch)]
    case .yuv420, .yvu420: shapes = [(w, h), (cw, ch), (cw, ch)]
    case .yuv422p: shapes = [(w, h), (cw, h), (cw, h)]
    case .grey: shapes = [(w, h)]
    case .y10, .y12, .y14, .y16, .y16BE: shapes = [(w * 2, h)]
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

  /// The layout of the picture that a reader of pixels gets: that of the decoded picture for coded video, and otherwise
  /// this one.
  public var decoded: FrameLayout {
    guard pixelFormat.isVideo else { return self }
    return .packed(.yuv420, size, range: range, matrix: matrix, transfer: transfer) ?? self
  }

  /// The number of bytes that the planes span; 0 for a compressed format, whose frames differ in length.
  public var byteCount: Int { planes.reduce(0) { max($0, $1.offset + $1.stride * $1.rows) } }
}
