/// What kind of camera a device is, in the vocabulary of capture discovery.
public enum DeviceType: String, Hashable, Sendable, CaseIterable {
  /// Fixed to the machine: a CSI or platform camera.
  case builtInWideAngle
  /// Plugged in, as USB cameras are.
  case external
  /// Made by software inside the daemon.
  case synthetic
}
