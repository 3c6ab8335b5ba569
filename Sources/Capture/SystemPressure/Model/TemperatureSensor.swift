public import CaptureCore

/// A temperature of a chip, from the kernel's hardware monitoring.
///
/// A sensor gives a level only when the chip names a critical limit or an operator sets thresholds. Boards also measure
/// pins to which nothing is connected, and such inputs have an upper limit but no critical one. Serious begins at the
/// chip's upper limit, or 10 °C below the critical limit when the chip names no upper limit. Fair begins 5 °C below
/// serious, and critical at the critical limit. A sensor's own limits never give shutdown, because the kernel does not
/// switch the machine off at them.
public struct TemperatureSensor: Hashable, Sendable {
  /// The folder and the number of the sensor, for example `hwmon2/temp1`.
  public var name: String
  /// The name of the chip, for example `coretemp` or `nvme`. Empty when it could not be read.
  public var chip: String
  /// The driver's name for what the sensor measures, for example `Package id 0`. Empty when the driver gives none.
  public var label: String
  /// The temperature in thousandths of a degree Celsius. Nil when it could not be read.
  public var millidegrees: Int?
  /// The chip's upper limit, in thousandths of a degree Celsius. Nil when the chip names none.
  public var maximumMillidegrees: Int?
  /// The chip's critical limit, in thousandths of a degree Celsius, from which the chip is in danger. Nil when the chip
  /// names none.
  public var criticalMillidegrees: Int?
  /// The level that this sensor alone gives, with hysteresis. The model sets the level.
  public var level = PressureLevel.nominal
  /// What could not be read, as a text for people. Nil when everything could be read.
  public var fault: String?

  /// Makes a reading at the level nominal.
  ///
  /// - Parameters:
  ///   - name: the folder and the number of the sensor.
  ///   - chip: the name of the chip. Empty when it could not be read.
  ///   - label: the driver's name for what the sensor measures. Empty when the driver gives none.
  ///   - millidegrees: the temperature in thousandths of a degree Celsius. Nil when it could not be read.
  ///   - maximumMillidegrees: the chip's upper limit. Nil when the chip names none.
  ///   - criticalMillidegrees: the chip's critical limit. Nil when the chip names none.
  ///   - fault: what could not be read. Nil when everything could be read.
  public init(
    name: String, chip: String, label: String = "", millidegrees: Int?, maximumMillidegrees: Int? = nil,
    criticalMillidegrees: Int? = nil, fault: String? = nil
  ) {
    self.name = name
    self.chip = chip
    self.label = label
    self.millidegrees = millidegrees
    self.maximumMillidegrees = maximumMillidegrees
    self.criticalMillidegrees = criticalMillidegrees
    self.fault = fault
  }
}

extension TemperatureSensor: PressureSource {
  var gone: TemperatureSensor {
    TemperatureSensor(name: name, chip: chip, label: label, millidegrees: nil, fault: "the sensor is gone")
  }

  func claims(after previous: TemperatureSensor?, overrides: ThresholdOverrides) -> [Claim] {
    Claim.temperature(millidegrees, overrides(name, chip) ?? ownThresholds).map { [$0] } ?? []
  }

  private var ownThresholds: LevelThresholds? {
    guard let criticalMillidegrees else { return nil }
    // The chip's limits become trip points: a zone would throttle at the upper limit (passive) and warn at the critical
    // one (hot).
    let limits = [maximumMillidegrees.map { TripPoint(.passive, millidegrees: $0) }].compactMap { $0 }
    return LevelThresholds(trips: limits + [TripPoint(.hot, millidegrees: criticalMillidegrees)])
  }
}
