public import CaptureCore

/// One thermal zone of the kernel, as read once.
public struct ThermalZone: Hashable, Sendable {
  /// Its folder, for example `thermal_zone0`.
  public var name: String
  /// What it measures, for example `x86_pkg_temp`. Empty when it could not be read.
  public var type: String
  /// Thousandths of a degree Celsius; fits in 32 bits. Nil when it could not be read.
  public var millidegrees: Int?
  /// Its trip points by their number, those the kernel has switched off (zero or less) included.
  public var trips: [TripPoint]
  /// How fast the temperature changes, thousandths of a degree per minute, over the last 15 to 30 s; the model fills it
  /// in. Nil until it knows.
  public var trendMillidegreesPerMinute: Int?
  /// What this zone alone means, with hysteresis: may be above what the present temperature alone would give. The model
  /// fills it in.
  public var level = PressureLevel.nominal
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

  public init(name: String, type: String, millidegrees: Int?, trips: [TripPoint] = [], fault: String? = nil) {
    self.name = name
    self.type = type
    self.millidegrees = millidegrees
    self.trips = trips
    self.fault = fault
  }
}
