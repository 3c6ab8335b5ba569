/// When an exposure is stable.
public enum Settling {
  /// How much darker the darkest frame may be, as a share of the brightest.
  public static let tolerance = 0.02

  /// Whether frames with these means of luma, 0 to 255, are equally bright.
  public static func isSettled(_ lumas: some Collection<Double>) -> Bool {
    guard let darkest = lumas.min(), let brightest = lumas.max() else { return false }
    // A black picture is as bright as the next black one.
    return brightest - darkest < tolerance * max(brightest, 1)
  }
}
