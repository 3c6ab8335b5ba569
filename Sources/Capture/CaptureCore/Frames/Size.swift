/// Width and height in pixels.
public struct Size: Hashable, Sendable, CustomStringConvertible {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public var pixelCount: Int { width * height }

  /// `"1280x720"`.
  public var description: String { "\(width)x\(height)" }
}
