/// A colour in limited-range 8-bit YCbCr (BT.601).
public struct YCbCr: Hashable, Sendable {
  /// Luma; 16 is black and 235 is white.
  public var y: UInt8
  /// The blue difference, 16 to 240; 128 is neutral.
  public var cb: UInt8
  /// The red difference, 16 to 240; 128 is neutral.
  public var cr: UInt8

  /// Makes a colour of its code values, in the ranges of ``y``, ``cb`` and ``cr``.
  public init(_ y: UInt8, _ cb: UInt8, _ cr: UInt8) {
    self.y = y
    self.cb = cb
    self.cr = cr
  }

  /// Makes a neutral grey: 16 is black and 235 is white.
  public init(grey y: UInt8) { self.init(y, 128, 128) }
}
