/// What synthetic cameras show and how they behave. The defaults make a well-behaved camera.
public struct SyntheticCameraConfiguration: Hashable, Sendable {
  /// What is below the timecode board.
  public enum Scene: String, Hashable, Sendable, CaseIterable {
    /// Running lights and falling dominoes: time a person can read.
    case lightboard
    /// A detailed chart that never changes; see ``StillScene/truth(pixelFormat:size:isBinned:)``.
    case still
    /// Colour bars of known values; see ``BarsScene/colors``.
    case bars
  }

  public var scene: Scene
  /// Standard deviation of the sensor noise at middle grey (Y 126), in 8-bit code values, 0…10 (others are brought into
  /// it). 0 turns noise off.
  ///
  /// The variance is `noise² · (0.2 + 0.8 · (Y − 16) / 110)` for luma: a part of its own for reading the sensor out and
  /// one that grows with the light, as shot noise does. Chroma has half the deviation, whatever the light.
  public var noise: Double
  /// Two streams of the same seed, device and format carry the same noise, frame by frame.
  public var seed: UInt64

  public init(scene: Scene = .lightboard, noise: Double = 1.5, seed: UInt64 = 0) {
    self.scene = scene
    self.noise = noise
    self.seed = seed
  }
}
