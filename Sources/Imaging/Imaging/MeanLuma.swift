internal import CaptureCore

/// Measures the brightness of a picture from a grid of samples, which is cheap and precise enough to see when the
/// exposure has settled.
///
/// In uncompressed pictures, the measurement reads 64 × 64 samples where they lie, which takes about 20 µs. From a
/// compressed picture, libjpeg decodes an eighth of the size, which consists of the means of its blocks. That still
/// takes some milliseconds at 1080p, so that a capture thread must not measure compressed pictures.
public enum MeanLuma {
  private static let grid = 64

  /// Measures the mean luma of `picture`.
  ///
  /// - Returns: The mean luma, 0 to 255, in the picture's own range; nil when the picture cannot be read. For RGB the
  ///   result is the mean of green, which makes up most of luma. For wide grey, 256 stands for one more than the
  ///   largest value that the format has.
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
    // The second byte of a ten-bit sample holds its upper eight bits.
    case .uyvy, .p010: (first, step) = (1, 2)
    case .rgb24, .bgr24: (first, step) = (1, 3)
    case .abgr32, .xbgr32, .bgr32: (first, step) = (1, 4)
    default: (first, step) = (0, 1)
    }
    let plane = picture.layout.planes[0]
    return picture.buffer.withUnsafeBytes { bytes in
      guard let bits = format.wideGreyBits else {
        return mean(bytes.bytes + plane.offset + first, stride: plane.stride, step: step, size)
      }
      let upper = format.isBigEndian ? 0 : 1
      let high = mean(bytes.bytes + plane.offset + upper, stride: plane.stride, step: 2, size)
      let low = mean(bytes.bytes + plane.offset + 1 - upper, stride: plane.stride, step: 2, size)
      return (high * 256 + low) / Double(1 << (bits - 8))
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
