/// The camera is set for a photo: which frames have that.
public struct ShotConditions: Hashable, Sendable {
  /// When the settings were made, CLOCK_MONOTONIC: exposures that begin later may have them.
  public var earliest: UInt64
  /// When the flash goes out by itself; nil when it does not.
  public var latest: UInt64?
  /// What was set; nil is as it was.
  public var readings: SensorReadings
  public var isFlashOn: Bool
  /// Whether the camera needs frames to find the exposure it was asked for.
  public var settles: Bool

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
