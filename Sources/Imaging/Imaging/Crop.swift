public import CaptureCore

/// A part of a picture.
public struct Crop: Hashable, Sendable {
  /// Even.
  public var x: Int
  /// Even.
  public var y: Int
  public var size: Size

  /// The middle of a picture of size `whole`, moved to an even column and line.
  public init(middle part: Size, of whole: Size) {
    x = (whole.width - part.width) / 2 & ~1
    y = (whole.height - part.height) / 2 & ~1
    size = part
  }
}
