internal import CaptureCore

/// Combines each group of 2 × 2 sensor pixels into their mean, rounded half up, as a binning sensor does.
enum Binning {
  /// Makes one line of `count` bytes from two lines of the double width, each of `2 * count` bytes.
  ///
  /// - Parameter plane: the index of the line's plane in the layout of `pixelFormat`, which is NV12 or YUYV.
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

  /// Combines lines of Cb Cr Cb Cr: two samples of the same component are two bytes apart.
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

  /// Combines lines of Y Cb Y Cr: the luma samples of neighbouring pixels are two bytes apart, and the chroma samples
  /// of neighbouring pixel pairs are four bytes apart.
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
