/// The settings that one capture needs the camera to have, step by step. After the last step, the camera is set back to
/// its former settings.
public struct Shot: Hashable, Sendable {
  /// How long and with which gain the sensor collects the light of a photo.
  public enum Exposure: Hashable, Sendable {
    /// The exposure that the camera is set to.
    case unchanged
    case manual(ManualExposure)
    /// Brighter than automatic exposure would make the photo, by this many EV; darker when negative.
    case bias(Double)
  }

  /// The settings for one photo of the shot.
  public struct Step: Hashable, Sendable {
    /// The exposure of this photo.
    public var exposure: Exposure
    /// Whether the flash lights this photo.
    public var flash: Bool

    /// Creates a step. Without arguments, it leaves the exposure unchanged and the flash off.
    public init(exposure: Exposure = .unchanged, flash: Bool = false) {
      self.exposure = exposure
      self.flash = flash
    }
  }

  /// The steps, one for each photo, in the order in which the photos are taken.
  public var steps: [Step]
  /// The size of the photos in pixels; nil for the size in which the camera streams.
  public var size: Size?

  /// Creates a shot.
  ///
  /// - Parameter size: the size of the photos in pixels; nil for the size in which the camera streams.
  public init(steps: [Step], size: Size? = nil) {
    self.steps = steps
    self.size = size
  }
}
