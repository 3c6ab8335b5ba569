/// The sizes that a driver accepts: from `minimum` to `maximum` in steps. V4L2 calls these sizes stepwise, or
/// continuous when the step is 1 × 1.
public struct SizeRange: Hashable, Sendable {
  /// The smallest width and the smallest height, in pixels.
  public var minimum: Size
  /// The largest width and the largest height, in pixels.
  public var maximum: Size
  /// The distance in pixels from one width, and from one height, to the next, counted from the minimum.
  public var step: Size

  /// Creates a range of sizes.
  ///
  /// - Parameter step: the distance in pixels from one width, and from one height, to the next; 1 × 1 for every size.
  public init(minimum: Size, maximum: Size, step: Size) {
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
  }

  /// Whether `size` lies in the range and on its steps.
  public func contains(_ size: Size) -> Bool {
    func fits(_ value: Int, _ low: Int, _ high: Int, _ step: Int) -> Bool {
      (low...max(low, high)).contains(value) && (step <= 1 || (value - low) % step == 0)
    }
    return fits(size.width, minimum.width, maximum.width, step.width)
      && fits(size.height, minimum.height, maximum.height, step.height)
  }
}
