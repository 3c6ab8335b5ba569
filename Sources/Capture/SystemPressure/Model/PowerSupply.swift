public import CaptureCore

/// A battery or a charger.
///
/// A battery that supplies the machine and is discharging gives peak power: fair when low (15 %), serious when critical
/// (5 %), by the battery's own word where it has one. One that is too hot gives serious system temperature.
public struct PowerSupply: Hashable, Sendable {
  /// Its folder, for example `BAT0`.
  public var name: String
  /// The kernel's word, as of all below: `Battery`, `Mains`, `USB`, … Empty when it could not be read.
  public var type: String
  /// Whether it supplies a device, such as a mouse, and not the machine.
  public var suppliesDevice = false
  /// For example `Discharging`. Empty when it does not say.
  public var status = ""
  /// For example `Critical`. Empty when it does not say.
  public var capacityLevel = ""
  /// For example `Overheat`. Empty when it does not say.
  public var health = ""
  /// How full it is, percent. Nil when it does not say.
  public var capacityPercent: Int?
  /// Whether it is connected. Nil when it does not say.
  public var connection: Connection?
  /// What this supply alone means, with hysteresis; the model fills it in.
  public var level = PressureLevel.nominal
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

  public init(name: String, type: String, fault: String? = nil) {
    self.name = name
    self.type = type
    self.fault = fault
  }

  /// The kernel's `online`, by its numbers.
  public enum Connection: Int, Hashable, Sendable {
    case offline = 0
    /// The supply's voltage is fixed.
    case online = 1
    /// The supply's voltage can be set, as that of USB power delivery.
    case onlineProgrammable = 2
  }

  /// Whether it is connected at all. Nil when it does not say.
  public var isOnline: Bool? { connection.map { $0 != .offline } }
}

extension PowerSupply: PressureSource {
  var gone: PowerSupply { PowerSupply(name: name, type: type, fault: "the supply is gone") }

  func claims(after previous: PowerSupply?, overrides: ThresholdOverrides) -> [Claim] {
    guard !suppliesDevice else { return [] }
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
