/// One source of pressure and what it alone means.
public struct PressureCause: Hashable, Sendable {
  public var factor: PressureFactor
  /// Above nominal.
  public var level: PressureLevel
  /// The reading's name, for example `thermal_zone0`; `drill` for a simulated level.
  public var source: String

  public init(factor: PressureFactor, level: PressureLevel, source: String) {
    self.factor = factor
    self.level = level
    self.source = source
  }
}
