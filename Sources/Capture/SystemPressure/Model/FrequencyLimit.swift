internal import CaptureCore

/// How fast some processors may run. An administrator may have set it, so it gives no level.
public struct FrequencyLimit: Hashable, Sendable {
  /// Its folder, for example `policy0`.
  public var name: String
  /// The highest frequency allowed now, kHz. Nil when it could not be read.
  public var allowedKilohertz: Int?
  /// The highest frequency the hardware has, kHz. Nil when it could not be read.
  public var hardwareKilohertz: Int?
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

  public init(name: String, allowedKilohertz: Int?, hardwareKilohertz: Int?, fault: String? = nil) {
    self.name = name
    self.allowedKilohertz = allowedKilohertz
    self.hardwareKilohertz = hardwareKilohertz
    self.fault = fault
  }
}
