public import CaptureCore

/// The warnings of firmware or of a voltage monitor.
///
/// Under-voltage gives serious peak power. A processor that the firmware slows down although the voltage is right is
/// too hot, and gives serious system temperature. The firmware's lower temperature limit gives fair system temperature.
public struct SupplyAlarm: Hashable, Sendable {
  /// A warning that is present now.
  public enum Warning: Hashable, Sendable, CaseIterable {
    case underVoltage, frequencyCapped, throttled, temperatureLimit
  }

  /// `get_throttled` for the firmware of a Raspberry Pi, or the input of a voltage monitor, for example `hwmon1/in0`.
  public var name: String
  /// The chip or firmware that warns, for example `rpi_volt`.
  public var chip: String
  /// The warnings that are present; empty when all is well. Nil when they could not be read.
  public var warnings: Set<Warning>?
  /// The level that this alarm alone gives, with hysteresis. The model sets the level.
  public var level = PressureLevel.nominal
  /// What could not be read, as a text for people. Nil when everything could be read.
  public var fault: String?

  /// Makes a reading at the level nominal.
  ///
  /// - Parameters:
  ///   - name: `get_throttled`, or the input of a voltage monitor.
  ///   - chip: the chip or firmware that warns.
  ///   - warnings: the warnings that are present. Nil when they could not be read.
  ///   - fault: what could not be read. Nil when everything could be read.
  public init(name: String, chip: String, warnings: Set<Warning>?, fault: String? = nil) {
    self.name = name
    self.chip = chip
    self.warnings = warnings
    self.fault = fault
  }
}

extension SupplyAlarm: PressureSource {
  var gone: SupplyAlarm { SupplyAlarm(name: name, chip: chip, warnings: nil, fault: "the alarm is gone") }

  func claims(after previous: SupplyAlarm?, overrides: ThresholdOverrides) -> [Claim] {
    guard let warnings else { return [] }
    if warnings.contains(.underVoltage) { return [Claim(.peakPower, risen: .serious)] }
    if warnings.contains(.frequencyCapped) || warnings.contains(.throttled) {
      return [Claim(.systemTemperature, risen: .serious)]
    }
    return warnings.contains(.temperatureLimit) ? [Claim(.systemTemperature, risen: .fair)] : []
  }
}
