public import CaptureCore

/// One thermal zone of the kernel, as read once.
public struct ThermalZone: Hashable, Sendable {
  /// The folder of the zone, for example `thermal_zone0`.
  public var name: String
  /// The kernel's name for what the zone measures, for example `x86_pkg_temp`. Empty when it could not be read.
  public var type: String
  /// The temperature in thousandths of a degree Celsius; fits in 32 bits. Nil when it could not be read.
  public var millidegrees: Int?
  /// The trip points of the zone by number. The list includes trips that the kernel has switched off (zero or less).
  public var trips: [TripPoint]
  /// How fast the temperature has changed over the last 15 to 30 s, in thousandths of a degree per minute. The model
  /// sets the trend; nil until the model knows it.
  public var trendMillidegreesPerMinute: Int?
  /// The level that this zone alone gives, with hysteresis: the level may be above the one that the present temperature
  /// alone would give. The model sets the level.
  public var level = PressureLevel.nominal
  /// Why the model does not act on the reading. ``PlausibilityCheck`` sets the doubt; nil when the reading counts.
  public var doubt: Doubt?
  /// A text for people that says what could not be read or is not plausible. Nil when nothing is wrong.
  public var fault: String?

  /// Makes a reading at the level nominal, without a trend.
  ///
  /// - Parameters:
  ///   - name: the folder of the zone.
  ///   - type: the kernel's name for what the zone measures. Empty when it could not be read.
  ///   - millidegrees: the temperature in thousandths of a degree Celsius. Nil when it could not be read.
  ///   - trips: the trip points of the zone by number.
  ///   - fault: what could not be read. Nil when everything could be read.
  public init(name: String, type: String, millidegrees: Int?, trips: [TripPoint] = [], fault: String? = nil) {
    self.name = name
    self.type = type
    self.millidegrees = millidegrees
    self.trips = trips
    self.fault = fault
  }
}

/// A temperature at which the kernel acts.
public struct TripPoint: Hashable, Sendable {
  /// What the kernel does at the temperature. The raw value is the kernel's word in `trip_point_N_type`.
  public enum Kind: String, Hashable, Sendable {
    /// The kernel starts a fan.
    case active
    /// The kernel throttles.
    case passive
    /// The kernel tells the driver.
    case hot
    /// The kernel switches the machine off.
    case critical

    /// Where a limit of this kind can lie, in thousandths of a degree Celsius. A working machine is as warm as 45 °C,
    /// and one that were in danger below 60 °C would be of no use.
    var plausible: ClosedRange<Int> {
      switch self {
      case .active, .passive: 45_000...PlausibleTemperature.range.upperBound
      case .hot, .critical: 60_000...PlausibleTemperature.range.upperBound
      }
    }
  }

  /// What the kernel does at the temperature.
  public var kind: Kind
  /// Thousandths of a degree Celsius; fits in 32 bits. Zero or less when the kernel has switched the trip off.
  public var millidegrees: Int

  /// Makes a trip point.
  ///
  /// - Parameters:
  ///   - kind: what the kernel does at the temperature.
  ///   - millidegrees: thousandths of a degree Celsius.
  public init(_ kind: Kind, millidegrees: Int) {
    self.kind = kind
    self.millidegrees = millidegrees
  }

  /// Whether the kernel has switched the trip off.
  var isSwitchedOff: Bool { millidegrees <= 0 }

  /// Whether the daemon acts on the trip.
  var isPlausible: Bool { kind.plausible.contains(millidegrees) }
}
