/// The kind of a device, in the terms of capture discovery.
public enum DeviceType: String, Hashable, Sendable, CaseIterable {
  /// A camera that is fixed to the machine: a CSI or platform camera.
  case builtInWideAngle
  /// A camera that is plugged in, as USB cameras are.
  case external
  /// A camera that software inside the daemon makes.
  case synthetic
  /// A microphone, or another input of a sound card; also one that software inside the daemon makes.
  case microphone
}
