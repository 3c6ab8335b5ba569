public import Imaging

/// The photo that the fusion made of a burst.
public struct FusedPicture: Sendable {
  /// The photo, which shows the instant of the reference and has its size, range and matrix. The format is `.yuv422p`
  /// when the frames are uncompressed 4:2:2, `.grey` when they have no chroma, and else `.yuv420`.
  public var picture: Picture
  /// The number of frames of which at least a tenth was merged, the reference included; 1 when no other frame matched
  /// the reference.
  public var frameCount: Int
  /// The noise of a single frame, as estimated from the burst.
  public var noise: NoiseModel
}
