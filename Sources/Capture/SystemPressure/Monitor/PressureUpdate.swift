internal import CaptureCore

/// A state that watchers are told, and its place among all that were told.
public struct PressureUpdate: Hashable, Sendable {
  public var state: PressureState
  /// Grows with each change; ``PressureMonitor/eventID(_:)`` names it for clients.
  public var number: UInt64
}
