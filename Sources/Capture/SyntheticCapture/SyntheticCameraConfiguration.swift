/// What synthetic cameras show and how they behave. The defaults make a well-behaved camera.
public struct SyntheticCameraConfiguration: Hashable, Sendable {
  /// The content of the picture below the timecode board.
  public enum Scene: String, Hashable, Sendable, CaseIterable {
    /// Running lights and falling dominoes, from which a person can read the time.
    case lightboard
    /// A detailed chart that never changes; see ``StillScene/truth(pixelFormat:size:isBinned:)``.
    case still
    /// Colour bars of known values; see ``BarsScene/colors``.
    case bars
  }

  /// The content of the picture below the timecode board.
  public var scene: Scene
  /// The standard deviation of the sensor noise at middle grey (Y 126), in 8-bit code values, 0…10. A value outside of
  /// this range counts as the nearest value within it. 0 turns noise off.
  ///
  /// For luma, the variance is `noise² · (0.2 + 0.8 · (Y − 16) / 110)`. The first part is the noise of reading the
  /// sensor out; the second part grows with the light, as shot noise does. Chroma has half the deviation, whatever the
  /// light.
  public var noise: Double
  /// The seed of the noise. Two streams of the same seed, device and format carry the same noise, frame by frame.
  public var seed: UInt64

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - scene: the content of the picture below the timecode board.
  ///   - noise: the standard deviation of the sensor noise, 0…10; see ``noise``.
  ///   - seed: the seed of the noise; see ``seed``.
  public init(scene: Scene = .lightboard, noise: Double = 1.5, seed: UInt64 = 0) {
    self.scene = scene
    self.noise = noise
    self.seed = seed
  }
}
