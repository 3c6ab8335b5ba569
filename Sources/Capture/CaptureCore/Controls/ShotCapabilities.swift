/// The settings that a single capture can ask of a camera.
public struct ShotCapabilities: Hashable, Sendable {
  /// The exposure times that can be set by hand, in nanoseconds; nil for a camera whose exposure cannot be set by hand.
  public var exposures: ClosedRange<UInt64>?
  /// The gains that can be set by hand, in the unit of the driver's gain control; nil for a camera whose gain cannot be
  /// set by hand.
  public var gains: ClosedRange<Int64>?
  /// The exposure biases, in EV; nil for a camera whose exposure cannot be made brighter or darker.
  public var biases: ClosedRange<Double>?
  /// Whether the camera has a flash or a torch that can light a photo.
  public var hasFlash: Bool
  /// The sizes that a photo may have, in pixels: first the size in which the camera streams, then larger ones.
  public var sizes: [Size] = []

  /// How many photos a bracket may have at most; 0 for a camera that cannot vary its exposure.
  public var maxBracketedPhotos: Int {
    exposures == nil && gains == nil && biases == nil ? 0 : PhotoFeatures.maxBracketedPhotos
  }

  /// Creates the capabilities of a camera, without any ``sizes``.
  ///
  /// - Parameters: as the properties of the same names.
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
