/// What pressure asks of a session.
public struct PressureDemand: Hashable, Sendable {
  public var level: PressureLevel
  /// What is at `level`; empty at nominal.
  public var causes: [PressureCause]
  /// The steps in force at `level`, in the ladder's order; for sessions that leave adaptation to the daemon.
  public var steps: [AdaptationStep]

  public init(level: PressureLevel = .nominal, causes: [PressureCause] = [], steps: [AdaptationStep] = []) {
    self.level = level
    self.causes = causes
    self.steps = steps
  }
}
