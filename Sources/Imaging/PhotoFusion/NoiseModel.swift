internal import Imaging

/// How noise grows with light: shot noise, whose variance is proportional to it, and read noise, which is always there.
/// In code values of eight bits.
public struct NoiseModel: Hashable, Sendable {
  /// Variance at luma 0.
  public var read: Double
  /// What each level of luma adds to the variance. Below 0 where a camera's tone curve flattens highlights.
  public var shot: Double
  /// Variance of each chroma component.
  public var chroma: Double

  /// The standard deviation of luma noise at `luma`, 0 to 255.
  public func deviation(luma: Double) -> Double { max(0, read + shot * luma).squareRoot() }
}
