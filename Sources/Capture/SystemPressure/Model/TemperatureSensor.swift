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

/// The temperature that a camera tells through a control of its driver.
///
/// V4L2 defines no control for a camera's temperature, and therefore neither a unit nor limits. A driver's own control
/// counts as a temperature when its name ends in "temperature", when it is read-only or changes by itself, and when it
/// is not about colour. The control's maximum tells the unit: the largest unit in which the maximum is still a
/// temperature that a sensor could have.
///
/// The level is fair from 65 °C, serious from 75 and critical from 85, unless an operator sets thresholds. Without such
/// thresholds a camera never gives shutdown. The project chose the three temperatures: sensors are specified up to 60
/// to 85 °C, and no standard says how a camera should act at these temperatures.
public struct CameraTemperature: Hashable, Sendable {
  /// The camera's id.
  public var device: String
  /// The ``Control/id`` of the control.
  public var control: String
  /// Thousandths of a degree Celsius. Nil when the temperature could not be read.
  public var millidegrees: Int?
  /// The level that this camera alone gives, with hysteresis. The model sets the level.
  public var level = PressureLevel.nominal
  /// Why the model does not act on the reading. ``PlausibilityCheck`` sets the doubt; nil when the reading counts.
  public var doubt: Doubt?
  /// A text for people that says what could not be read or is not plausible. Nil when nothing is wrong.
  public var fault: String?

  /// Makes a reading at the level nominal.
  ///
  /// - Parameters:
  ///   - device: the camera's id.
  ///   - control: the ``Control/id`` of the control.
  ///   - millidegrees: thousandths of a degree Celsius. Nil when the temperature could not be read.
  ///   - fault: what could not be read. Nil when everything could be read.
  public init(device: String, control: String, millidegrees: Int?, fault: String? = nil) {
    self.device = device
    self.control = control
    self.millidegrees = millidegrees
    self.fault = fault
  }

  /// Reads the temperature from a camera's controls.
  ///
  /// - Parameters:
  ///   - device: the camera's id.
  ///   - controls: the camera's controls with their present values.
  /// - Returns: nil when none of the controls is a temperature.
  public init?(device: String, controls: [Control]) {
    guard let control = controls.first(where: Self.tells) else { return nil }
    self.init(device: device, control: control.id, millidegrees: nil)
    switch control.value {
    case .integer(let value):
      let read = Int(clamping: value).multipliedReportingOverflow(by: Self.millidegrees(perUnitOf: control))
      if !read.overflow, ThermalZoneReader.plausible.contains(read.partialValue) {
        millidegrees = read.partialValue
      } else {
        fault = "\(control.id) is not a temperature: \(value)"
      }
    default: fault = "\(control.id) could not be read"
    }
  }

  private static func tells(_ control: Control) -> Bool {
    let words = control.id.split(separator: "_")
    return [.integer, .integer64].contains(control.kind) && (control.flags.isReadOnly || control.flags.isVolatile)
      && words.last == "temperature" && !words.contains { ["white", "balance", "color", "colour"].contains($0) }
  }

  private static func millidegrees(perUnitOf control: Control) -> Int {
    switch control.range.maximum {
    case ...300: 1_000
    case ...3_000: 100
    case ...30_000: 10
    default: 1
    }
  }
}
