public import CaptureCore

extension Size {
  /// The largest size of the same shape that fits into `bounds`: even width and height, never larger than this size.
  ///
  /// Sides that would become smaller than 2 stay 2, unless this size itself is smaller.
  public func fitted(into bounds: Size) -> Size {
    guard width > 0, height > 0 else { return self }
    let (bw, bh) = (min(max(bounds.width, 1), width), min(max(bounds.height, 1), height))
    // Compare the ratios without dividing; the side with less room rules, the other is rounded to the nearest even.
    if bw * height <= bh * width {
      return Size(
        width: Self.even(bw, of: width), height: Self.nearestEven(height * bw, over: width, atMost: bh, height))
    }
    return Size(width: Self.nearestEven(width * bh, over: height, atMost: bw, width), height: Self.even(bh, of: height))
  }

  /// Both sides within what can be processed.
  var isValid: Bool { (1...Picture.largestSide).contains(width) && (1...Picture.largestSide).contains(height) }

  private static func even(_ value: Int, of original: Int) -> Int { max(value & ~1, min(2, original)) }

  private static func nearestEven(_ numerator: Int, over divisor: Int, atMost limit: Int, _ original: Int) -> Int {
    even(min((numerator + divisor) / (2 * divisor) * 2, limit), of: original)
  }
}
