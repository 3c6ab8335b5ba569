/// What single captures can ask of a camera.
public struct ShotCapabilities: Hashable, Sendable {
  /// Nanoseconds; nil where exposure cannot be set by hand.
  public var exposures: ClosedRange<UInt64>?
  /// Nil where gain cannot be set by hand.
  public var gains: ClosedRange<Int64>?
  /// EV; nil where exposure cannot be made brighter or darker.
  public var biases: ClosedRange<Double>?
  public var hasFlash: Bool
  /// What photos may measure: as the camera streams, then larger ones.
  public var sizes: [Size] = []

  /// Photos of a bracket; 0 where nothing can differ.
  public var maxBracketedPhotos: Int {
    exposures == nil && gains == nil && biases == nil ? 0 : PhotoFeatures.maxBracketedPhotos
  }

  public init(
    exposures: ClosedRange<UInt64>? = nil, gains: ClosedRange<Int64>? = nil, biases: ClosedRange<Double>? = nil,
    hasFlash: Bool = false
  ) {
    self.exposures = exposures
    self.gains = gains
    self.biases = biases
    self.hasFlash = hasFlash
  }
}
