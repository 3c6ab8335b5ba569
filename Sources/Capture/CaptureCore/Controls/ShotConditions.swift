public import SystemClocks

/// How a camera is set for one step of a shot, so that the output can tell which frames have these settings.
public struct ShotConditions: Hashable, Sendable {
  /// When the settings were made. Only exposures that begin later may have the settings.
  public var earliest: MonotonicInstant
  /// When the flash goes out by itself; nil when it does not.
  public var latest: MonotonicInstant?
  /// The values that were set. A value that is nil was left unchanged.
  public var readings: SensorReadings
  /// Whether the flash lights this step.
  public var isFlashOn: Bool
  /// Whether the camera needs several frames until it has found the exposure that it was asked for.
  public var settles: Bool

  /// Creates the conditions of a step.
  ///
  /// - Parameters:
  ///   - earliest: when the settings were made.
  ///   - latest: when the flash goes out by itself; nil when it does not.
  public init(
    earliest: MonotonicInstant, latest: MonotonicInstant? = nil, readings: SensorReadings = SensorReadings(),
    isFlashOn: Bool = false, settles: Bool = false
  ) {
    self.earliest = earliest
    self.latest = latest
    self.readings = readings
    self.isFlashOn = isFlashOn
    self.settles = settles
  }
}
