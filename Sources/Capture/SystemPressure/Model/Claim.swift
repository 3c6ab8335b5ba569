internal import CaptureCore

/// The level that one reading alone asks for.
struct Claim: Hashable, Sendable {
  var factor: PressureFactor
  /// The level that the reading gives by itself.
  var risen: PressureLevel
  /// The highest level that the reading keeps up when that level already holds. Never below `risen`: a reading keeps a
  /// level up until it lies below the level's threshold by a margin.
  var kept: PressureLevel
  /// Whether the monitor should read often, because the reading is near a level above nominal.
  var isNear = false

  init(_ factor: PressureFactor, risen: PressureLevel, kept: PressureLevel? = nil, isNear: Bool = false) {
    self.factor = factor
    self.risen = risen
    self.kept = kept ?? risen
    self.isNear = isNear
  }

  /// How far a temperature must fall below the threshold of a level to leave that level, in thousandths of a degree.
  static let margin = 3_000

  /// The claim of a temperature. Nil without a temperature or without thresholds; the source then counts as cold.
  ///
  /// - Parameter millidegrees: thousandths of a degree Celsius.
  static func temperature(
    _ millidegrees: Int?, _ thresholds: LevelThresholds?, factor: PressureFactor = .systemTemperature
  ) -> Claim? {
    guard let millidegrees, let thresholds else { return nil }
    return Claim(
      factor, risen: thresholds.level(at: millidegrees),
      // The −1 makes a temperature of exactly 3 °C below a threshold low enough to leave the level.
      kept: thresholds.level(at: millidegrees + margin - 1),
      isNear: millidegrees >= thresholds.fair - 10_000)
  }
}
