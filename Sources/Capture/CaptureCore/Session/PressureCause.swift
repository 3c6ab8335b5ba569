/// One cause of pressure, and the level that this cause alone puts the machine or the camera at.
public struct PressureCause: Hashable, Sendable {
  /// The kind of the cause.
  public var factor: PressureFactor
  /// The level that this cause alone leads to; always above nominal.
  public var level: PressureLevel
  /// The name of the reading, for example `thermal_zone0`; `drill` for a simulated level.
  public var source: String

  /// Creates a cause.
  ///
  /// - Parameters:
  ///   - level: above nominal.
  ///   - source: the name of the reading; `drill` for a simulated level.
  public init(factor: PressureFactor, level: PressureLevel, source: String) {
    self.factor = factor
    self.level = level
    self.source = source
  }
}
