/// A colour in limited-range 8-bit YCbCr (BT.601).
public struct YCbCr: Hashable, Sendable {
  public var y: UInt8
  public var cb: UInt8
  public var cr: UInt8

  public init(_ y: UInt8, _ cb: UInt8, _ cr: UInt8) {
    self.y = y
    self.cb = cb
    self.cr = cr
  }

  /// Neutral grey.
  public init(grey y: UInt8) { self.init(y, 128, 128) }
}
