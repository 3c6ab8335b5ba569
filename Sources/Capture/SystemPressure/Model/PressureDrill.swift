public import CaptureCore

/// A level that an operator simulates for some time. The drill adds a cause to the readings and never hides a reading.
public struct PressureDrill: Hashable, Sendable {
  /// The ``PressureCause/source`` of the drill's cause.
  static let source = "drill"

  /// The level of the drill's cause.
  public var level: PressureLevel
  /// The factor of the drill's cause.
  public var factor: PressureFactor
  /// When the drill ends.
  public var endMonotonicNanoseconds: UInt64

  /// Makes a drill.
  ///
  /// - Parameters:
  ///   - level: the level of the drill's cause. A drill at nominal adds no cause.
  ///   - factor: the factor of the drill's cause.
  ///   - endMonotonicNanoseconds: when the drill ends.
  public init(level: PressureLevel, factor: PressureFactor, endMonotonicNanoseconds: UInt64) {
    self.level = level
    self.factor = factor
    self.endMonotonicNanoseconds = endMonotonicNanoseconds
  }

  /// The state with the drill's cause added.
  func applied(to state: PressureState) -> PressureState {
    guard level > .nominal else { return state }
    return PressureState(
      causes: state.causes + [PressureCause(factor: factor, level: level, source: Self.source)],
      readings: state.readings, readTimeWallNanoseconds: state.readTimeWallNanoseconds)
  }
}
