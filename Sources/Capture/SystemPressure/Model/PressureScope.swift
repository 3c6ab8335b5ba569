internal import CaptureCore

/// What a state is about.
public enum PressureScope: Hashable, Sendable {
  /// Without any camera's own readings.
  case machine
  /// The machine and one camera.
  case device(String)
  /// The machine and all cameras.
  case everything
}
