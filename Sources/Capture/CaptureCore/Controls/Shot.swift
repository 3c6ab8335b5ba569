/// What one capture needs the camera to be set to, for each of its photos in turn. Afterwards all is as it was.
public struct Shot: Hashable, Sendable {
  /// How the light of a photo is collected.
  public enum Exposure: Hashable, Sendable {
    /// As the camera is set.
    case unchanged
    case manual(ManualExposure)
    /// So many EV brighter than automatic exposure likes it.
    case bias(Double)
  }

  /// One photo.
  public struct Step: Hashable, Sendable {
    public var exposure: Exposure
    public var flash: Bool

    public init(exposure: Exposure = .unchanged, flash: Bool = false) {
      self.exposure = exposure
      self.flash = flash
    }
  }

  public var steps: [Step]
  /// Of the photos; nil is as the camera streams.
  public var size: Size?

  public init(steps: [Step], size: Size? = nil) {
    self.steps = steps
    self.size = size
  }
}
