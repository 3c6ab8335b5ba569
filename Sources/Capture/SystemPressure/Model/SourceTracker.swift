internal import CaptureCore
internal import SystemClocks

/// Follows the levels of all sources of one kind. A value; callers pass the time in.
struct SourceTracker<Source: PressureSource>: Sendable {
  private struct Tracked: Sendable {
    var source: Source
    var levels: [PressureFactor: HeldLevel] = [:]
  }
  private var tracked: [String: Tracked] = [:]

  /// Takes the next readings, adds their causes to `assessment`, and gives the readings back with their levels, ordered
  /// by the numbers in their names.
  ///
  /// A source that is gone stays in the list, as its ``PressureSource/gone``, until its level has fallen. The tracker
  /// then forgets the source.
  ///
  /// - Parameter sources: each name at most once.
  mutating func update(
    _ sources: [Source], overrides: ThresholdOverrides, now: MonotonicInstant, into assessment: inout Assessment
  ) -> [Source] {
    var next: [String: Tracked] = [:]
    for source in sources {
      next[source.name] = advance(tracked[source.name], to: source, overrides, now, &assessment)
    }
    for (name, old) in tracked where next[name] == nil && old.source.level > .nominal {
      let moved = advance(old, to: old.source.gone, overrides, now, &assessment)
      if moved.source.level > .nominal { next[name] = moved }
    }
    tracked = next
    return next.values.map(\.source).sorted { $0.name.isBeforeByLength($1.name) }
  }

  private func advance(
    _ old: Tracked?, to source: Source, _ overrides: ThresholdOverrides, _ now: MonotonicInstant,
    _ assessment: inout Assessment
  ) -> Tracked {
    let claims = source.claims(after: old?.source, overrides: overrides)
    var moved = Tracked(source: source)
    for factor in PressureFactor.allCases {
      let claim = claims.first { $0.factor == factor }
      var held = old?.levels[factor] ?? HeldLevel(growsWithRelapses: Source.mayBeOurLoad)
      held.update(claim, now: now)
      if claim?.isNear == true { assessment.isWarm = true }
      if !held.isForgotten(at: now) { moved.levels[factor] = held }
      guard held.level > .nominal else { continue }
      moved.source.level = max(moved.source.level, held.level)
      assessment.isWarm = true
      assessment.causes.append(PressureCause(factor: factor, level: held.level, source: source.name))
    }
    return moved
  }
}

/// What all sources together ask for.
struct Assessment: Hashable, Sendable {
  /// The cause of every source above nominal.
  var causes: [PressureCause] = []
  /// Whether at least one source is above nominal or near a level above nominal.
  var isWarm = false
}

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
