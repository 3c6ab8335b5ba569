internal import CaptureCore
internal import SystemClocks

/// A source that measures a temperature.
protocol TemperatureSource: CheckedSource {
  static var factor: PressureFactor { get }
  /// Whether the first reading counts without a second one.
  static var firstReadingCounts: Bool { get }
  /// The temperature in thousandths of a degree Celsius. Nil when it could not be read.
  var millidegrees: Int? { get }
  /// The limits that the machine gives for this source, plausible or not.
  var limits: [TripPoint] { get }
  /// The temperature from which on the machine cannot work, in thousandths of a degree Celsius, with the reason as a
  /// text for people. A source that shows it from its first reading on is not believed. Nil when there is no such
  /// temperature.
  var ceiling: (millidegrees: Int, reason: String)? { get }
  /// The limit that a sensor shows when it has no value of its own, in thousandths of a degree Celsius. A source that
  /// shows exactly this limit from its first reading on is not believed. Nil when a working machine can be at the
  /// limit.
  var limitOfStuckSensors: Int? { get }

  /// What the source calls a limit of this kind.
  static func word(for kind: TripPoint.Kind) -> String

  /// The thresholds that an operator set for this source. Nil when there are none.
  func override(_ overrides: ThresholdOverrides) -> LevelThresholds?
  /// The thresholds that follow from the source's own limits. Nil when none is usable.
  var ownThresholds: LevelThresholds? { get }
}

/// What temperatures a machine can have.
enum PlausibleTemperature {
  /// Sensors measure within this range, in thousandths of a degree Celsius: parts for the widest range work from −55 to
  /// 175 °C.
  static let range = -60_000...200_000
  /// A rise by more than this between two readings is a jump, in thousandths of a degree.
  static let largestStep = 10_000
  /// How far above its critical limit no machine works, in thousandths of a degree. Less would not do, because
  /// processors run at the limit itself, and some machines go on above their critical trip.
  static let beyondCritical = 20_000
  /// A source that was not believed because of its ceiling is believed again once it shows a temperature this far below
  /// the ceiling, in thousandths of a degree.
  static let ceilingMargin = 5_000
}

extension TemperatureSource {
  static var factor: PressureFactor { .systemTemperature }
  static var firstReadingCounts: Bool { false }
  var limitOfStuckSensors: Int? { nil }
  static func word(for kind: TripPoint.Kind) -> String { "\(kind.rawValue) trip" }

  var shown: String { millidegrees?.celsius ?? "" }

  /// The temperature on which the daemon acts. Nil when it could not be read or is in doubt.
  var believedMillidegrees: Int? { doubt == nil ? millidegrees : nil }

  func claims(after previous: Self?, overrides: ThresholdOverrides) -> [Claim] {
    let thresholds = override(overrides) ?? ownThresholds
    return Claim.temperature(believedMillidegrees, thresholds, factor: Self.factor).map { [$0] } ?? []
  }

  func implausibleLimits(_ overrides: ThresholdOverrides) -> [String] {
    guard override(overrides) == nil else { return [] }
    return limits.filter { !$0.isPlausible && !$0.isSwitchedOff }.map { limit in
      let range = limit.kind.plausible
      return "the \(Self.word(for: limit.kind)) of \(limit.millidegrees.celsius) does not count, because it is not"
        + " between \(range.lowerBound.celsius) and \(range.upperBound.celsius)"
    }
  }

  func contradiction(after previous: Self?, overrides: ThresholdOverrides) -> Doubt? {
    guard let millidegrees else { return nil }
    let range = PlausibleTemperature.range
    guard range.contains(millidegrees) else {
      let bounds = "\(range.lowerBound.celsius) and \(range.upperBound.celsius)"
      return Doubt(.impossible, "\(shown) does not count, because it is not between \(bounds)")
    }
    guard override(overrides) == nil else { return nil }
    if isFollowed(after: previous) {
      return Doubt(.followedByLimit, "\(shown) does not count, because the critical limit moves with it")
    }
    let wasThere = previous?.doubt?.reason == .fromTheStart
    // Only a new source is checked. A hot source that cannot be read for a moment is no new source.
    let isNew = previous.map {
      $0.level == .nominal && ($0.millidegrees == nil || $0.doubt?.reason == .impossible)
    }
    guard wasThere || isNew ?? true else { return nil }
    if millidegrees == limitOfStuckSensors {
      return Doubt(.fromTheStart, "\(shown) does not count, because it is the critical trip since the first reading")
    }
    guard let ceiling, millidegrees >= ceiling.millidegrees - (wasThere ? PlausibleTemperature.ceilingMargin : 0)
    else { return nil }
    return Doubt(.fromTheStart, "\(shown) does not count, because \(ceiling.reason)")
  }

  /// Whether the limit follows the temperature, because some drivers give the newest or the highest temperature as a
  /// limit. This is so when the lowest limit of danger equalled the temperature in this reading and in the one before,
  /// although the temperature changed between them. Once found, it holds for all later readings.
  private func isFollowed(after previous: Self?) -> Bool {
    guard let previous, previous.doubt?.reason != .followedByLimit else { return previous != nil }
    guard let before = previous.millidegrees, before != millidegrees else { return false }
    return lowestDanger == millidegrees && previous.lowestDanger == before
  }

  private var lowestDanger: Int? {
    limits.filter { [.hot, .critical].contains($0.kind) && $0.isPlausible }.map(\.millidegrees).min()
  }

  func isStep(from previous: Self?, overrides: ThresholdOverrides) -> Bool {
    guard let previous else { return Self.firstReadingCounts }
    guard let now = millidegrees, let before = previous.millidegrees, previous.doubt?.reason != .impossible,
      (previous.override(overrides) ?? previous.ownThresholds) == (override(overrides) ?? ownThresholds)
    else { return false }
    return now - before <= PlausibleTemperature.largestStep
  }
}

extension ThermalZone: TemperatureSource {
  var gone: ThermalZone { ThermalZone(name: name, type: type, millidegrees: nil, fault: "the zone is gone") }
  var limits: [TripPoint] { trips }
  var ownThresholds: LevelThresholds? { LevelThresholds(trips: trips) }

  /// The kernel switches the machine off at this trip.
  var limitOfStuckSensors: Int? { trips.filter { $0.kind == .critical && $0.isPlausible }.map(\.millidegrees).min() }

  var ceiling: (millidegrees: Int, reason: String)? {
    limitOfStuckSensors.map {
      ($0 + PlausibleTemperature.beyondCritical, "the kernel switches the machine off far below, at \($0.celsius)")
    }
  }

  func override(_ overrides: ThresholdOverrides) -> LevelThresholds? { overrides(name, type) }
}

extension TemperatureSensor: TemperatureSource {
  var gone: TemperatureSensor {
    TemperatureSensor(name: name, chip: chip, label: label, millidegrees: nil, fault: "the sensor is gone")
  }

  /// The chip's limits as trip points. The upper limit counts as passive, because a thermal zone would throttle there,
  /// and the critical one as hot, because a zone would warn there.
  var limits: [TripPoint] {
    [
      maximumMillidegrees.map { TripPoint(.passive, millidegrees: $0) },
      criticalMillidegrees.map { TripPoint(.hot, millidegrees: $0) },
    ].compactMap { $0 }
  }

  static func word(for kind: TripPoint.Kind) -> String { kind == .hot ? "critical limit" : "upper limit" }

  var ownThresholds: LevelThresholds? {
    limits.contains { $0.kind == .hot && $0.isPlausible } ? LevelThresholds(trips: limits) : nil
  }

  var ceiling: (millidegrees: Int, reason: String)? {
    let critical = limits.first { $0.kind == .hot && $0.isPlausible }?.millidegrees
    return critical.map {
      ($0 + PlausibleTemperature.beyondCritical, "no chip works so far above its critical \($0.celsius)")
    }
  }

  func override(_ overrides: ThresholdOverrides) -> LevelThresholds? { overrides(name, chip) }
}

extension CameraTemperature: TemperatureSource {
  static let thresholds = LevelThresholds(fair: 65_000, serious: 75_000, critical: 85_000)
  static var factor: PressureFactor { .cameraTemperature }
  /// A camera is asked once a second, and what it says first never gives shutdown.
  static var firstReadingCounts: Bool { true }

  var name: String { "devices/\(device)" }

  var gone: CameraTemperature {
    CameraTemperature(device: device, control: control, millidegrees: nil, fault: "the camera does not stream")
  }

  var limits: [TripPoint] { [] }
  var ownThresholds: LevelThresholds? { Self.thresholds }
  var ceiling: (millidegrees: Int, reason: String)? { nil }

  func override(_ overrides: ThresholdOverrides) -> LevelThresholds? { overrides(name) }
}

/// How fast a temperature changes. Compares each reading with one that is 15 to 30 s old, because sensors count whole
/// degrees and jitter, so that the reading just before would tell nothing. A value; callers pass the time in.
struct TemperatureTrend: Hashable, Sendable {
  static let spanNanoseconds: UInt64 = 15_000_000_000

  private struct Sample: Hashable, Sendable {
    var millidegrees: Int
    var time: MonotonicInstant
  }
  private var older: Sample?
  private var newer: Sample?

  /// Takes the next reading. A missing temperature makes the trend begin anew.
  ///
  /// - Parameter millidegrees: thousandths of a degree Celsius; nil when the temperature could not be read.
  /// - Returns: thousandths of a degree per minute; nil until there is a reading that is old enough.
  mutating func update(_ millidegrees: Int?, now: MonotonicInstant) -> Int? {
    guard let millidegrees else {
      self = TemperatureTrend()
      return nil
    }
    if let newer, newer.time > now { self = TemperatureTrend() }
    if let newer {
      if now.nanoseconds(since: newer.time) >= Self.spanNanoseconds {
        older = newer
        self.newer = Sample(millidegrees: millidegrees, time: now)
      }
    } else {
      newer = Sample(millidegrees: millidegrees, time: now)
    }
    guard let older else { return nil }
    return (millidegrees - older.millidegrees) * 60_000 / Int(now.nanoseconds(since: older.time) / 1_000_000)
  }
}
