/// One step that takes load off the machine: a limit, and the level from which on it is in force.
public struct AdaptationStep: Hashable, Sendable {
  /// What is limited. What is lower already stays as it is.
  public enum Limit: Hashable, Sendable {
    /// Previews fit into a square of so many pixels a side.
    case previewSide(Int)
    /// JPEG quality of previews, 1 to 100.
    case previewQuality(Int)
    /// Frames per second of previews.
    case previewRate(Rational)
    /// How far back the frame ring reaches, nanoseconds.
    case ringWindow(UInt64)
    /// Frames that a photo is made of.
    case fusedFrames(Int)
    /// Frames per second of every output.
    case deviceRate(Rational)
  }

  public var limit: Limit
  public var level: PressureLevel

  public init(_ limit: Limit, from level: PressureLevel) {
    self.limit = limit
    self.level = level
  }
}
