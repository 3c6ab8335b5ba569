internal import CaptureCore

/// What one reading alone asks for.
struct Claim: Hashable, Sendable {
  var factor: PressureFactor
  /// What it gives by itself.
  var risen: PressureLevel
  /// What it gives to a level that already holds: with a margin.
  var kept: PressureLevel
  /// Whether it should be looked at often, because a level is near.
  var isNear = false

  init(_ factor: PressureFactor, risen: PressureLevel, kept: PressureLevel? = nil, isNear: Bool = false) {
    self.factor = factor
    self.risen = risen
    self.kept = kept ?? risen
    self.isNear = isNear
  }

  /// Degrees that a temperature must fall below a threshold to leave its level, in thousandths.
  static let margin = 3_000

  /// What a temperature asks for; nil without one or without thresholds: it counts as cold.
  static func temperature(
    _ millidegrees: Int?, _ thresholds: LevelThresholds?, factor: PressureFactor = .systemTemperature
  ) -> Claim? {
    guard let millidegrees, let thresholds else { return nil }
    return Claim(
      factor, risen: thresholds.level(at: millidegrees),
      // Exactly 3 °C below a threshold is low enough to leave its level.
      kept: thresholds.level(at: millidegrees + margin - 1),
      isNear: millidegrees >= thresholds.fair - 10_000)
  }
}

extension ThermalZone: PressureSource {
  var gone: ThermalZone { ThermalZone(name: name, type: type, millidegrees: nil, fault: "the zone is gone") }

  func claims(after previous: ThermalZone?, overrides: ThresholdOverrides) -> [Claim] {
    let thresholds = overrides(name, type) ?? LevelThresholds(trips: trips)
    return Claim.temperature(millidegrees, thresholds).map { [$0] } ?? []
  }
}
