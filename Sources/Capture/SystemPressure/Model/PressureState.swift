public import CaptureCore

/// How much pressure the machine is under, and why.
public struct PressureState: Hashable, Sendable {
  /// The worst level of all readings; nominal on a machine without any.
  public var level: PressureLevel
  /// What caused `level`; empty at nominal.
  public var factors: [PressureFactor]
  /// Every source above nominal, the worst first; those at `level` are what `factors` sums up.
  public var causes: [PressureCause]
  /// Whether `level` is a drill's and not the readings'.
  public var isSimulated: Bool
  /// What was read.
  public var readings: PressureReadings
  /// When it was read: wall clock, nanoseconds since the Unix epoch.
  public var readTimeWallNanoseconds: UInt64

  /// - Parameter causes: in any order.
  public init(causes: [PressureCause], readings: PressureReadings, readTimeWallNanoseconds: UInt64) {
    let level = causes.map(\.level).max() ?? .nominal
    self.level = level
    self.factors = PressureFactor.allCases.filter { factor in
      causes.contains { $0.factor == factor && $0.level == level }
    }
    // By name within a level, so that a recorded trace gives the same.
    self.causes = causes.sorted { a, b in
      a.level != b.level ? a.level > b.level : a.source.isBeforeByNumber(b.source)
    }
    let isDrill = { (cause: PressureCause) in cause.source == PressureDrill.source }
    isSimulated = causes.contains(where: isDrill) && causes.allSatisfy { isDrill($0) || $0.level < level }
    self.readings = readings
    self.readTimeWallNanoseconds = readTimeWallNanoseconds
  }
}

extension PressureState {
  /// The part of it that is about `scope`.
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
      causes: causes.filter { !others.contains($0.source) }, readings: readings,
      readTimeWallNanoseconds: readTimeWallNanoseconds)
  }
}
