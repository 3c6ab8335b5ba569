public import CaptureCore

/// What firmware or a voltage monitor warns of.
///
/// Under-voltage is serious peak power. A processor that the firmware slows down although the voltage is right is too hot:
/// serious system temperature; at the firmware's lower temperature limit fair.
public struct SupplyAlarm: Hashable, Sendable {
  /// A warning that is present now.
  public enum Warning: Hashable, Sendable, CaseIterable {
    case underVoltage, frequencyCapped, throttled, temperatureLimit
  }

  /// `get_throttled`, the firmware of a Raspberry Pi, or an input of a monitor, for example `hwmon1/in0`.
  public var name: String
  /// Who says so, for example `rpi_volt`.
  public var chip: String
  /// Empty when all is well. Nil when it could not be read.
  public var warnings: Set<Warning>?
  /// What this alone means, with hysteresis; the model fills it in.
  public var level = PressureLevel.nominal
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

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
