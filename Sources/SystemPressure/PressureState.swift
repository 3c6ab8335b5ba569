/// How much pressure the machine is under, and why.
public struct PressureState: Hashable, Sendable {
  /// The worst level of all zones; nominal on a machine without any.
  public var level: PressureLevel
  /// What caused `level`; empty at nominal.
  public var factors: [PressureFactor]
  /// Every zone, in the order of their numbers.
  public var readings: [ThermalReading]
  /// When it was read: wall clock, nanoseconds since the Unix epoch.
  public var readTimeWallNanoseconds: UInt64

  public init(
    level: PressureLevel, factors: [PressureFactor], readings: [ThermalReading], readTimeWallNanoseconds: UInt64
  ) {
    self.level = level
    self.factors = factors
    self.readings = readings
    self.readTimeWallNanoseconds = readTimeWallNanoseconds
  }
}

/// A thermal zone and what it alone would mean.
public struct ThermalReading: Hashable, Sendable {
  public var zone: ThermalZone
  /// With hysteresis: may be above what the present temperature alone would give.
  public var level: PressureLevel

  public init(zone: ThermalZone, level: PressureLevel) {
    self.zone = zone
    self.level = level
  }
}
