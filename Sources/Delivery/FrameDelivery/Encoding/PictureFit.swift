internal import CaptureCore
internal import Imaging

/// How large a picture may be: the reader's request limits its pixels, and the reader's message limits its bytes.
enum PictureFit {
  /// The scale of a picture that is not reduced. A scale is a number of 64ths of the picture's sides.
  static let fullScale = 64

  /// `size` fitted into `box` and then reduced to `scale` 64ths of its sides. Never larger than `size`; the sides are
  /// even wherever the size is reduced. Nil for `box` sets no limit.
  static func size(_ size: Size, into box: Size?, scale: Int) -> Size {
    var fitted = size
    // A size that fits stays as it is: an odd size need not become even.
    if let box, size.width > box.width || size.height > box.height { fitted = size.fitted(into: box) }
    if scale >= fullScale { return fitted }
    return even(fitted, width: fitted.width * scale / fullScale)
  }

  /// The size of a picture that must have the shape of `box`: `box` itself, or `box` fitted into `size` if `box` is
  /// larger; then reduced to `scale` 64ths of its sides.
  static func size(_ size: Size, shapedAs box: Size, scale: Int) -> Size {
    self.size(box.fitted(into: size), into: nil, scale: scale)
  }

  /// The largest part of a picture of `size` that has the shape of `box`. The part lies in the middle of the picture,
  /// on even columns and lines.
  ///
  /// - Returns: nil when the part is the whole picture.
  static func middle(of size: Size, shapedAs box: Size) -> Crop? {
    // Multiplying crosswise compares the two ratios without dividing.
    let isTooWide = size.width * box.height > size.height * box.width
    let part = Size(
      width: isTooWide ? max(2, size.height * box.width / box.height & ~1) : size.width,
      height: isTooWide ? size.height : max(2, size.width * box.height / box.width & ~1))
    return part == size || part.width > size.width || part.height > size.height ? nil : Crop(middle: part, of: size)
  }

  /// The largest size with the aspect of `size`, and not larger than `size`, whose raw picture takes at most `limit`
  /// bytes.
  static func size(_ size: Size, as format: PixelFormat, maxBytes limit: Int) -> Size {
    func bytes(_ size: Size) -> Int { FrameLayout.packed(format, size)?.byteCount ?? 0 }
    guard bytes(size) > limit else { return size }
    // The ratio of the areas gives a first guess that is slightly too large. The loop then goes down to the size that
    // fits.
    let side = (Double(limit) / Double(bytes(size))).squareRoot()
    var fitted = even(size, width: Int((Double(size.width) * side).rounded(.up)) + 2)
    while bytes(fitted) > limit && fitted.width > 2 { fitted = even(size, width: fitted.width - 2) }
    return fitted
  }

  /// The scale to try after a JPEG of `bytes` at `scale` turned out larger than `limit` bytes. The ratio of the areas
  /// gives the new scale, with a tenth to spare. The new scale is always smaller than `scale`, but at least 1.
  static func smallerScale(than scale: Int, bytes: Int, limit: Int) -> Int {
    let side = (0.9 * Double(limit) / Double(max(bytes, 1))).squareRoot()
    return max(1, min(scale - 1, Int(Double(scale) * side)))
  }

  private static func even(_ size: Size, width: Int) -> Size {
    let height = Int((Double(width) * Double(size.height) / Double(size.width)).rounded())
    return Size(width: max(2, width & ~1), height: max(2, height & ~1))
  }
}
