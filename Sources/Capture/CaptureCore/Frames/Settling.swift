/// Decides whether the exposure of a camera has settled.
public enum Settling {
  /// The limit on how much darker than the brightest frame the darkest frame may be, as a share of the brightest.
  public static let tolerance = 0.02

  /// Whether frames are equally bright.
  ///
  /// - Parameter lumas: the mean luma of each frame, 0 to 255.
  public static func isSettled(_ lumas: some Collection<Double>) -> Bool {
    guard let darkest = lumas.min(), let brightest = lumas.max() else { return false }
    // The limit is never below that for a luma of 1, so that black frames count as equally bright.
    return brightest - darkest < tolerance * max(brightest, 1)
  }
}
