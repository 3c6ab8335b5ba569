public import CaptureCore

/// A battery or a charger.
///
/// A battery that supplies the machine and is discharging gives the factor peak power: fair when the battery is low (15
/// %), serious when it is critical (5 %). The battery's own `capacity_level` goes before its percentage. A supply that
/// is too hot gives serious system temperature.
public struct PowerSupply: Hashable, Sendable {
  /// The folder of the supply, for example `BAT0`.
  public var name: String
  /// The kernel's word for the kind of supply: `Battery`, `Mains`, `USB` and so on. Empty when it could not be read.
  public var type: String
  /// Whether the supply belongs to a device, such as a mouse, and not to the machine.
  public var suppliesDevice = false
  /// The kernel's word for charging or discharging, for example `Discharging`. Empty when the supply tells none.
  public var status = ""
  /// The kernel's word for how full the battery is, for example `Critical`. Empty when the supply tells none.
  public var capacityLevel = ""
  /// The kernel's word for the health of the supply, for example `Overheat`. Empty when the supply tells none.
  public var health = ""
  /// How full the battery is, in percent. Nil when the supply does not tell.
  public var capacityPercent: Int?
  /// Whether and how the supply is connected. Nil when the supply does not tell.
  public var connection: Connection?
  /// The level that this supply alone gives, with hysteresis. The model sets the level.
  public var level = PressureLevel.nominal
  /// Why the model does not act on the reading. ``PlausibilityCheck`` sets the doubt; nil when the reading counts.
  public var doubt: Doubt?
  /// A text for people that says what could not be read or is not plausible. Nil when nothing is wrong.
  public var fault: String?

  /// Makes a reading that tells no more than the kind of supply.
  ///
  /// - Parameters:
  ///   - name: the folder of the supply.
  ///   - type: the kernel's word for the kind of supply. Empty when it could not be read.
  ///   - fault: what could not be read. Nil when everything could be read.
  public init(name: String, type: String, fault: String? = nil) {
    self.name = name
    self.type = type
    self.fault = fault
  }

  /// The kernel's `online`, with the numbers of the kernel.
  public enum Connection: Int, Hashable, Sendable {
    case offline = 0
    /// The supply is connected and its voltage is fixed.
    case online = 1
    /// The supply is connected and its voltage can be set, as with USB power delivery.
    case onlineProgrammable = 2
  }

  /// Whether the supply is connected. Nil when the supply does not tell.
  public var isOnline: Bool? { connection.map { $0 != .offline } }
}

extension PowerSupply: PressureSource {
  var gone: PowerSupply { PowerSupply(name: name, type: type, fault: "the supply is gone") }

  func claims(after previous: PowerSupply?, overrides: ThresholdOverrides) -> [Claim] {
    guard doubt == nil, !suppliesDevice else { return [] }
    var claims: [Claim] = []
    if status == "Discharging" {
      let emptiness: PressureLevel =
        switch (capacityLevel, capacityPercent) {
        case ("Critical", _): .serious
        case ("Low", _): .fair
        case ("Normal", _), ("High", _), ("Full", _): .nominal
        case (_, .some(...5)): .serious
        case (_, .some(...15)): .fair
        default: .nominal
        }
      claims.append(Claim(.peakPower, risen: emptiness))
    }
    switch health {
    case "Overheat", "Hot": claims.append(Claim(.systemTemperature, risen: .serious))
    default: break
    }
    return claims
  }
}

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
