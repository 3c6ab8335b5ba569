/// The level of pressure on the machine or a camera. Higher levels have greater raw values.
public enum PressureLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
  case nominal, fair
  /// High pressure: the session should reduce its load.
  case serious
  /// Very high pressure: the session should reduce its load urgently.
  case critical
  /// The kernel is about to switch the machine off.
  case shutdown

  /// Whether `a` is the lower pressure.
  public static func < (a: PressureLevel, b: PressureLevel) -> Bool { a.rawValue < b.rawValue }
}
