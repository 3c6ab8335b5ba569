/// A model of how noise grows with light, in squared code values of eight bits. Shot noise has a variance proportional
/// to the light, and read noise is independent of the light.
public struct NoiseModel: Hashable, Sendable {
  /// The variance of luma noise at luma 0, in squared code values.
  public var read: Double
  /// The increase of the variance with each level of luma. The value is negative when a camera's tone curve flattens
  /// highlights.
  public var shot: Double
  /// The variance of the noise in each chroma component, in squared code values.
  public var chroma: Double

  /// The standard deviation of luma noise at `luma`, which is 0 to 255. The result is in code values.
  public func deviation(luma: Double) -> Double { max(0, read + shot * luma).squareRoot() }
}
