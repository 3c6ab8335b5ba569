public import CaptureCore
public import SystemClocks

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
