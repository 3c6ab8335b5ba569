/// The demands that pressure makes on one session.
public struct PressureDemand: Hashable, Sendable {
  /// The pressure level.
  public var level: PressureLevel
  /// The causes whose level is `level`; empty at the nominal level.
  public var causes: [PressureCause]
  /// The steps that apply at `level`, in the order of the ladder. Only sessions that leave adaptation to the daemon
  /// take these steps.
  public var steps: [AdaptationStep]

  /// Creates a demand. By default, there is no pressure.
  public init(level: PressureLevel = .nominal, causes: [PressureCause] = [], steps: [AdaptationStep] = []) {
    self.level = level
    self.causes = causes
    self.steps = steps
  }
}
