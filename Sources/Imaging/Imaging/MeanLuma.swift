internal import CaptureCore

/// How bright a picture is, from a grid of samples: enough to see an exposure settle, and cheap.
///
/// Raw pictures are read at 64 × 64 places where they lie, about 20 µs. Of a compressed one libjpeg decodes an eighth, the
/// means of its blocks, which still takes some milliseconds at 1080p: not on a capture thread.
public enum MeanLuma {
  private static let grid = 64

  /// - Returns: 0 to 255, in the picture's own range; of RGB the mean of green, which is most of luma. Nil when the picture
  ///   cannot be read.
  public static func measure(_ picture: Picture) -> Double? {
    guard (try? picture.validate()) != nil else { return nil }
    let (format, size) = (picture.layout.pixelFormat, picture.layout.size)
    if format.isCompressed {
      let small = Size(width: max(1, size.width / 8), height: max(1, size.height / 8))
      let reader = JPEGReader()
      return withExtendedLifetime(reader) {
        guard let planes = try? reader.planes(picture, atLeast: small) else { return nil }
        return mean(planes.y, stride: planes.yStride, step: 1, planes.size)
      }
    }
    let (first, step): (Int, Int)
    switch format {
    case .yuyv: (first, step) = (0, 2)
    // Of ten bits the upper eight.
    case .uyvy, .p010: (first, step) = (1, 2)
    case .rgb24, .bgr24: (first, step) = (1, 3)
    case .abgr32, .xbgr32, .bgr32: (first, step) = (1, 4)
    default: (first, step) = (0, 1)
    }
    let plane = picture.layout.planes[0]
    return picture.buffer.withUnsafeBytes { bytes in
      mean(bytes.bytes + plane.offset + first, stride: plane.stride, step: step, size)
    }
  }

  private static func mean(_ samples: UnsafePointer<UInt8>, stride: Int, step: Int, _ size: Size) -> Double {
    let (columns, rows) = (min(grid, size.width), min(grid, size.height))
    var sum = 0
    for row in 0..<rows {
      let line = samples + (2 * row + 1) * size.height / (2 * rows) * stride
      for column in 0..<columns { sum += Int(line[(2 * column + 1) * size.width / (2 * columns) * step]) }
    }
    return Double(sum) / Double(columns * rows)
  }
}
