public import CaptureCore

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
