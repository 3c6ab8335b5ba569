public import Imaging

/// What a burst became.
public struct FusedPicture: Sendable {
  /// Shows the instant of the reference, with its size, range and matrix: `.yuv420`, `.yuv422p` where the frames have
  /// chroma for every line, `.grey` where they have none.
  public var picture: Picture
  /// Frames of which at least a tenth was merged, the reference among them: 1 when nothing else fitted.
  public var frameCount: Int
  /// The noise of one frame, as estimated from the burst.
  public var noise: NoiseModel
}
