/// One step that takes load off the machine: a limit, and the pressure level from which on the limit applies.
public struct AdaptationStep: Hashable, Sendable {
  /// The value that the step limits. A value that is already below its limit stays unchanged.
  public enum Limit: Hashable, Sendable {
    /// Previews fit into a square with sides of this many pixels.
    case previewSide(Int)
    /// The JPEG quality of previews, 1 to 100.
    case previewQuality(Int)
    /// The frames per second of previews.
    case previewRate(Rational)
    /// How far back the ring reaches, in nanoseconds.
    case ringWindow(UInt64)
    /// The number of frames that one photo is made of.
    case fusedFrames(Int)
    /// The frames per second of every output.
    case deviceRate(Rational)
  }

  /// The limit that the step sets.
  public var limit: Limit
  /// The lowest pressure level at which the limit applies.
  public var level: PressureLevel

  /// Creates a step that applies `limit` at `level` and all higher levels.
  public init(_ limit: Limit, from level: PressureLevel) {
    self.limit = limit
    self.level = level
  }
}
