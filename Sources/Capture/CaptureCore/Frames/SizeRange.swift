/// Sizes a driver accepts: `minimum` to `maximum` in steps, as V4L2 stepwise and continuous (`step` 1 × 1) frame sizes.
public struct SizeRange: Hashable, Sendable {
  public var minimum: Size
  public var maximum: Size
  public var step: Size

  public init(minimum: Size, maximum: Size, step: Size) {
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
  }

  /// Whether `size` lies in the range and on its grid.
  public func contains(_ size: Size) -> Bool {
    func fits(_ value: Int, _ low: Int, _ high: Int, _ step: Int) -> Bool {
      (low...max(low, high)).contains(value) && (step <= 1 || (value - low) % step == 0)
    }
    return fits(size.width, minimum.width, maximum.width, step.width)
      && fits(size.height, minimum.height, maximum.height, step.height)
  }
}
