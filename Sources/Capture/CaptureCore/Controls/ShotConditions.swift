/// How a camera is set for one step of a shot, so that the output can tell which frames have these settings.
public struct ShotConditions: Hashable, Sendable {
  /// When the settings were made, in nanoseconds of CLOCK_MONOTONIC. Only exposures that begin later may have the
  /// settings.
  public var earliest: UInt64
  /// When the flash goes out by itself, in nanoseconds of CLOCK_MONOTONIC; nil when the flash does not go out by
  /// itself.
  public var latest: UInt64?
  /// The values that were set. A value that is nil was left unchanged.
  public var readings: SensorReadings
  /// Whether the flash lights this step.
  public var isFlashOn: Bool
  /// Whether the camera needs several frames until it has found the exposure that it was asked for.
  public var settles: Bool

  /// Creates the conditions of a step.
  ///
  /// - Parameters:
  ///   - earliest: when the settings were made, in nanoseconds of CLOCK_MONOTONIC.
  ///   - latest: when the flash goes out by itself, in nanoseconds of CLOCK_MONOTONIC; nil when it does not.
  public init(
    earliest: UInt64, latest: UInt64? = nil, readings: SensorReadings = SensorReadings(), isFlashOn: Bool = false,
    settles: Bool = false
  ) {
    self.earliest = earliest
    self.latest = latest
    self.readings = readings
    self.isFlashOn = isFlashOn
    self.settles = settles
  }
}
