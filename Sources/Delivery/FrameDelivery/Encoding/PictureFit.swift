internal import CaptureCore
internal import Imaging

/// How large a picture may be: in pixels by the reader's wish, in bytes by the message.
enum PictureFit {
  /// The scale that means "not reduced". Scales are 64ths of the side.
  static let fullScale = 64

  /// `size` fitted into `box`, then reduced to `scale` 64ths; even sides wherever it is reduced, never scaled up.
  static func size(_ size: Size, into box: Size?, scale: Int) -> Size {
    var fitted = size
    // Left alone when it fits: an odd size need not be made even.
    if let box, size.width > box.width || size.height > box.height { fitted = size.fitted(into: box) }
    if scale >= fullScale { return fitted }
    return even(fitted, width: fitted.width * scale / fullScale)
  }

  /// The size for a gravity that gives pictures the shape of `box`: `box` itself unless it is larger than `size`.
  static func size(_ size: Size, shapedAs box: Size, scale: Int) -> Size {
    self.size(box.fitted(into: size), into: nil, scale: scale)
  }

  /// The largest part of a picture of `size` that has the shape of `box`, in its middle, on even columns and lines.
  ///
  /// - Returns: nil when that is the whole picture.
  static func middle(of size: Size, shapedAs box: Size) -> Crop? {
    // Compares the ratios without dividing.
    let isTooWide = size.width * box.height > size.height * box.width
    let part = Size(
      width: isTooWide ? max(2, size.height * box.width / box.height & ~1) : size.width,
      height: isTooWide ? size.height : max(2, size.width * box.height / box.width & ~1))
    return part == size || part.width > size.width || part.height > size.height ? nil : Crop(middle: part, of: size)
  }

  /// The largest size with the aspect of `size`, not larger, whose raw picture takes at most `limit` bytes.
  static func size(_ size: Size, as format: PixelFormat, maxBytes limit: Int) -> Size {
    func bytes(_ size: Size) -> Int { FrameLayout.packed(format, size)?.byteCount ?? 0 }
    guard bytes(size) > limit else { return size }
    // A first guess from the areas, then down to the rounding.
    let side = (Double(limit) / Double(bytes(size))).squareRoot()
    var fitted = even(size, width: Int((Double(size.width) * side).rounded(.up)) + 2)
    while bytes(fitted) > limit && fitted.width > 2 { fitted = even(size, width: fitted.width - 2) }
    return fitted
  }

  /// The scale to try after a JPEG of `bytes` at `scale` proved larger than `limit`: by the areas with a tenth to spare,
  /// always at least one step, and never below one.
  static func smallerScale(than scale: Int, bytes: Int, limit: Int) -> Int {
    let side = (0.9 * Double(limit) / Double(max(bytes, 1))).squareRoot()
    return max(1, min(scale - 1, Int(Double(scale) * side)))
  }

  private static func even(_ size: Size, width: Int) -> Size {
    let height = Int((Double(width) * Double(size.height) / Double(size.width)).rounded())
    return Size(width: max(2, width & ~1), height: max(2, height & ~1))
  }
}
