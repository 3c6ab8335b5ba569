public import CaptureCore

/// A picture: how it lies in memory, and the memory.
public struct Picture: Sendable {
  public var layout: FrameLayout
  public var buffer: FrameBuffer

  public init(layout: FrameLayout, buffer: FrameBuffer) {
    self.layout = layout
    self.buffer = buffer
  }
}

extension Frame {
  /// The frame without its times: shares the memory.
  public var picture: Picture { Picture(layout: layout, buffer: buffer) }
}

extension PixelFormat {
  /// Whether pictures of this format are compressed, so that their layout has no planes.
  var isCompressed: Bool { isJPEG }

  /// Whether the format carries R, G and B; ``FrameLayout/range`` and ``FrameLayout/matrix`` then mean nothing.
  var isRGB: Bool { self == .rgb24 || self == .bgr24 || isBGRX }

  /// Whether pixels are B, G, R and a byte that means nothing here: opacity, or nothing at all.
  var isBGRX: Bool { self == .abgr32 || self == .xbgr32 || self == .bgr32 }

  /// Whether chroma has as many lines as luma.
  var hasFullHeightChroma: Bool { self == .yuyv || self == .uyvy || self == .yuv422p }

  /// Bytes that belong to the picture in each line of plane `index`, and its lines; nil past the last plane and for
  /// formats that have no planes.
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
    default: return nil
    }
  }
}

extension Picture {
  /// The widest and highest picture: the limit of libyuv, whose scaler counts in 16.16 fixed point. JPEG ends at 65,500.
  static let largestSide = 32_768

  /// Checks that every byte the layout promises is in the buffer, because C code is about to trust it.
  ///
  /// - Throws: `formatNotSupported` for unknown formats, `processingFailed` for a layout that does not hold.
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
          .processingFailed, "Plane \(index) of a \(size) \(format) picture does not lie in its \(buffer.count) bytes.",
          metadata: ["plane": "\(index)", "size": "\(size)", "format": "\(format)", "bytes": "\(buffer.count)"])
      }
      index += 1
    }
  }
}

extension FrameLayout.Plane {
  /// Whether `rows` lines of `rowBytes` lie in the first `count` bytes. The last line need not be a whole stride.
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
    CaptureError(.outOfBuffers, "No \(count) bytes are left in the frame pool.", metadata: ["bytes": "\(count)"])
  }
}
