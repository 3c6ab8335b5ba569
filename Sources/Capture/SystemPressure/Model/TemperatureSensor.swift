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
  /// Why the model does not act on the reading. ``PlausibilityCheck`` sets the doubt; nil when the reading counts.
  public var doubt: Doubt?
  /// A text for people that says what could not be read or is not plausible. Nil when nothing is wrong.
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
