public import CaptureCore
public import SystemClocks

/// How much pressure the machine is under, and why.
public struct PressureState: Hashable, Sendable {
  /// The worst level of all causes; nominal on a machine without any.
  public var level: PressureLevel
  /// The factors of the causes at `level`; empty at nominal.
  public var factors: [PressureFactor]
  /// The cause of every source above nominal, the worst first. `factors` sums up the causes at `level`.
  public var causes: [PressureCause]
  /// Whether only a drill gives `level`, and no reading does.
  public var isSimulated: Bool
  /// The readings from which the state follows.
  public var readings: PressureReadings
  /// When the readings were taken.
  public var readTime: WallInstant

  /// Makes the state that follows from causes.
  ///
  /// - Parameters:
  ///   - causes: in any order.
  ///   - readings: the readings from which the causes follow.
  ///   - readTime: when the readings were taken.
  public init(causes: [PressureCause], readings: PressureReadings, readTime: WallInstant) {
    let level = causes.map(\.level).max() ?? .nominal
    self.level = level
    self.factors = PressureFactor.allCases.filter { factor in
      causes.contains { $0.factor == factor && $0.level == level }
    }
    // Causes of one level are in a fixed order, so that a recorded trace always gives the same state.
    self.causes = causes.sorted { a, b in
      a.level != b.level ? a.level > b.level : a.source.isBeforeByLength(b.source)
    }
    let isDrill = { (cause: PressureCause) in cause.source == PressureDrill.source }
    isSimulated = causes.contains(where: isDrill) && causes.allSatisfy { isDrill($0) || $0.level < level }
    self.readings = readings
    self.readTime = readTime
  }
}

extension PressureState {
  /// The state without the readings and causes of cameras that do not belong to `scope`.
  public func scoped(to scope: PressureScope) -> PressureState {
    var device: String?
    switch scope {
    case .everything: return self
    case .machine: break
    case .device(let id): device = id
    }
    let others = Set(readings.cameras.filter { $0.device != device }.map(\.name))
    guard !others.isEmpty else { return self }
    var readings = readings
    readings.cameras.removeAll { others.contains($0.name) }
    return PressureState(
      causes: causes.filter { !others.contains($0.source) }, readings: readings, readTime: readTime)
  }
}

/// A level that an operator simulates for some time. The drill adds a cause to the readings and never hides a reading.
public struct PressureDrill: Hashable, Sendable {
  /// The ``PressureCause/source`` of the drill's cause.
  static let source = "drill"

  /// The level of the drill's cause.
  public var level: PressureLevel
  /// The factor of the drill's cause.
  public var factor: PressureFactor
  /// When the drill ends.
  public var end: MonotonicInstant

  /// Makes a drill.
  ///
  /// - Parameters:
  ///   - level: the level of the drill's cause. A drill at nominal adds no cause.
  ///   - factor: the factor of the drill's cause.
  ///   - end: when the drill ends.
  public init(level: PressureLevel, factor: PressureFactor, end: MonotonicInstant) {
    self.level = level
    self.factor = factor
    self.end = end
  }

  /// The state with the drill's cause added.
  func applied(to state: PressureState) -> PressureState {
    guard level > .nominal else { return state }
    return PressureState(
      causes: state.causes + [PressureCause(factor: factor, level: level, source: Self.source)],
      readings: state.readings, readTime: state.readTime)
  }
}
