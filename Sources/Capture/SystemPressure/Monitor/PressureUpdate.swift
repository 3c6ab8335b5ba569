internal import CaptureCore

/// A state that watchers are told, with its number among all states that were told.
public struct PressureUpdate: Hashable, Sendable {
  /// The state. An update that a watcher missed comes without readings.
  public var state: PressureState
  /// The number of the update, which grows with each change. ``PressureMonitor/eventID(_:)`` makes the id for clients.
  public var number: UInt64
}
