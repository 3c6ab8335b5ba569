internal import CaptureCore

/// The part of the machine that a state is about.
public enum PressureScope: Hashable, Sendable {
  /// The machine without any camera's own temperature.
  case machine
  /// The machine and the camera with this id.
  case device(String)
  /// The machine and all cameras.
  case everything
}
