/// A width and a height in pixels.
public struct Size: Hashable, Sendable, CustomStringConvertible {
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int

  /// Creates a size.
  ///
  /// - Parameters:
  ///   - width: in pixels.
  ///   - height: in pixels.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The number of pixels of a picture of this size.
  public var pixelCount: Int { width * height }

  /// The size without the last column and the last line where their number is odd. Encoders of video need even sizes.
  public var evenSize: Size { Size(width: max(2, width & ~1), height: max(2, height & ~1)) }

  /// The size as text, for example `"1280x720"`.
  public var description: String { "\(width)x\(height)" }
}
