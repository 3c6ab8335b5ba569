public import CaptureCore

/// A level that an operator simulates for some time. It adds to what is read and never hides it.
public struct PressureDrill: Hashable, Sendable {
  /// ``PressureCause/source`` of its cause.
  static let source = "drill"

  public var level: PressureLevel
  public var factor: PressureFactor
  /// CLOCK_MONOTONIC, nanoseconds: when it ends.
  public var endMonotonicNanoseconds: UInt64

  public init(level: PressureLevel, factor: PressureFactor, endMonotonicNanoseconds: UInt64) {
    self.level = level
    self.factor = factor
    self.endMonotonicNanoseconds = endMonotonicNanoseconds
  }

  /// What the state becomes by this drill.
  func applied(to state: PressureState) -> PressureState {
    guard level > .nominal else { return state }
    return PressureState(
      causes: state.causes + [PressureCause(factor: factor, level: level, source: Self.source)],
      readings: state.readings, readTimeWallNanoseconds: state.readTimeWallNanoseconds)
  }
}
