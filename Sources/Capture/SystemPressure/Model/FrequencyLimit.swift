internal import CaptureCore

/// How fast a group of processors may run. An administrator may have set the limit on purpose, so it gives no level.
public struct FrequencyLimit: Hashable, Sendable {
  /// The folder of the group, for example `policy0`.
  public var name: String
  /// The highest frequency that is allowed now, in kHz. Nil when it could not be read.
  public var allowedKilohertz: Int?
  /// The highest frequency that the hardware has, in kHz. Nil when it could not be read.
  public var hardwareKilohertz: Int?
  /// What could not be read, as a text for people. Nil when everything could be read.
  public var fault: String?

  /// Makes a reading.
  ///
  /// - Parameters:
  ///   - name: the folder of the group.
  ///   - allowedKilohertz: the highest frequency that is allowed now, in kHz. Nil when it could not be read.
  ///   - hardwareKilohertz: the highest frequency that the hardware has, in kHz. Nil when it could not be read.
  ///   - fault: what could not be read. Nil when everything could be read.
  public init(name: String, allowedKilohertz: Int?, hardwareKilohertz: Int?, fault: String? = nil) {
    self.name = name
    self.allowedKilohertz = allowedKilohertz
    self.hardwareKilohertz = hardwareKilohertz
    self.fault = fault
  }
}
