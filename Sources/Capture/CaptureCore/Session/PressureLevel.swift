/// How much pressure the machine is under. Grows with the raw value.
public enum PressureLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
  case nominal, fair
  /// High: throttling is advised.
  case serious
  /// Very high: throttling is urgently advised.
  case critical
  /// The kernel is about to switch the machine off.
  case shutdown

  public static func < (a: PressureLevel, b: PressureLevel) -> Bool { a.rawValue < b.rawValue }
}
