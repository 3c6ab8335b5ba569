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
