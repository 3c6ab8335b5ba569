public import CaptureCore

/// A rectangle of pixels within a picture.
public struct Crop: Hashable, Sendable {
  /// The column of the rectangle's left edge in the whole picture, in pixels: an even number.
  public var x: Int
  /// The line of the rectangle's upper edge in the whole picture, in pixels: an even number.
  public var y: Int
  /// The width and height of the rectangle in pixels.
  public var size: Size

  /// Creates a rectangle whose upper left corner is at `x`, `y`, both of which must be even.
  public init(x: Int, y: Int, size: Size) {
    (self.x, self.y, self.size) = (x, y, size)
  }

  /// Creates a rectangle of size `part` in the middle of a picture of size `whole`.
  ///
  /// The left and upper edges move to the next even column and line before them.
  public init(middle part: Size, of whole: Size) {
    x = (whole.width - part.width) / 2 & ~1
    y = (whole.height - part.height) / 2 & ~1
    size = part
  }
}
