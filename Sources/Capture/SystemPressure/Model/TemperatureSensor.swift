public import CaptureCore

/// A temperature of a chip, from the kernel's hardware monitoring.
///
/// It gives a level only when the chip names a critical limit or an operator sets thresholds: boards measure pins that
/// nothing is connected to, and those have an upper limit, too, but no critical one. Serious begins at the chip's upper
/// limit, else 10 °C below the critical one; fair 5 °C below serious; critical at the critical limit. Never shutdown:
/// nobody switches the machine off there.
public struct TemperatureSensor: Hashable, Sendable {
  /// Folder and number, for example `hwmon2/temp1`.
  public var name: String
  /// The chip, for example `coretemp` or `nvme`. Empty when it could not be read.
  public var chip: String
  /// What it measures, for example `Package id 0`. Empty when the driver does not say.
  public var label: String
  /// Thousandths of a degree Celsius, as all of these. Nil when it could not be read.
  public var millidegrees: Int?
  /// Where the chip wants to stay below. Nil when it does not say.
  public var maximumMillidegrees: Int?
  /// Where the chip is in danger. Nil when it does not say.
  public var criticalMillidegrees: Int?
  /// What this sensor alone means, with hysteresis; the model fills it in.
  public var level = PressureLevel.nominal
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

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
    // As trips: the upper limit is where a zone would throttle, the critical one where it would warn.
    let limits = [maximumMillidegrees.map { TripPoint(.passive, millidegrees: $0) }].compactMap { $0 }
    return LevelThresholds(trips: limits + [TripPoint(.hot, millidegrees: criticalMillidegrees)])
  }
}
