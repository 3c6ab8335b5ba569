internal import CaptureCore

/// Combines groups of 2 × 2 sensor pixels into their mean, rounded half up, as a binning sensor does.
enum Binning {
  /// Makes one line from two of the double size, each `2 * count` bytes.
  ///
  /// - Parameter plane: index in the layout of `pixelFormat`, NV12 or YUYV.
  static func combine(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, pixelFormat: PixelFormat, plane: Int, count: Int,
    into output: UnsafeMutablePointer<UInt8>
  ) {
    if pixelFormat == .yuyv {
      combineYUYV(upper, lower, count: count, into: output)
    } else if plane == 0 {
      combineLuma(upper, lower, count: count, into: output)
    } else {
      combinePairs(upper, lower, count: count, into: output)
    }
  }

  private static func combineLuma(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, count: Int, into output: UnsafeMutablePointer<UInt8>
  ) {
    var i = 0
    while i < count {
      output[i] = mean(upper[2 &* i], upper[2 &* i &+ 1], lower[2 &* i], lower[2 &* i &+ 1])
      i &+= 1
    }
  }

  /// Cb Cr Cb Cr: equal components are two bytes apart.
  private static func combinePairs(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, count: Int, into output: UnsafeMutablePointer<UInt8>
  ) {
    var i = 0
    while i < count {
      let (a, b) = (upper + 2 &* i, lower + 2 &* i)
      output[i] = mean(a[0], a[2], b[0], b[2])
      output[i &+ 1] = mean(a[1], a[3], b[1], b[3])
      i &+= 2
    }
  }

  /// Y Cb Y Cr: luma of neighbouring pixels is two bytes apart, chroma of neighbouring pairs four.
  private static func combineYUYV(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, count: Int, into output: UnsafeMutablePointer<UInt8>
  ) {
    var i = 0
    while i < count {
      let (a, b) = (upper + 2 &* i, lower + 2 &* i)
      output[i] = mean(a[0], a[2], b[0], b[2])
      output[i &+ 1] = mean(a[1], a[5], b[1], b[5])
      output[i &+ 2] = mean(a[4], a[6], b[4], b[6])
      output[i &+ 3] = mean(a[3], a[7], b[3], b[7])
      i &+= 4
    }
  }

  @inline(__always)
  private static func mean(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt16(a) &+ UInt16(b) &+ UInt16(c) &+ UInt16(d) &+ 2) &>> 2)
  }
}
