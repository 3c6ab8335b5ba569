public import CaptureCore

/// The temperature that a camera tells by a control of its driver.
///
/// V4L2 has no such control of its own, and so neither a unit nor limits: a control of the driver's counts whose name
/// ends in "temperature", which can only be read or changes by itself, and which is not about colour. Its maximum tells
/// the unit: what it would mean in degrees has to be a temperature that a sensor could have.
///
/// Fair from 65 °C, serious from 75, critical from 85 unless an operator sets thresholds; never shutdown by itself.
/// Ours: sensors are specified to 60 to 85 °C, and no standard says what a camera ought to do there.
public struct CameraTemperature: Hashable, Sendable {
  /// The camera's id.
  public var device: String
  /// ``Control/id`` of the control.
  public var control: String
  /// Thousandths of a degree Celsius. Nil when it could not be read.
  public var millidegrees: Int?
  /// What this camera alone means, with hysteresis; the model fills it in.
  public var level = PressureLevel.nominal
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

  public init(device: String, control: String, millidegrees: Int?, fault: String? = nil) {
    self.device = device
    self.control = control
    self.millidegrees = millidegrees
    self.fault = fault
  }

  /// What `controls` of a camera tell, with their present values; nil when none is a temperature.
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
    return [.integer, .integer64].contains(control.kind) && (control.isReadOnly || control.isVolatile)
      && words.last == "temperature" && !words.contains { ["white", "balance", "color", "colour"].contains($0) }
  }

  private static func millidegrees(perUnitOf control: Control) -> Int {
    switch control.maximum {
    case ...300: 1_000
    case ...3_000: 100
    case ...30_000: 10
    default: 1
    }
  }
}

extension CameraTemperature: PressureSource {
  static let thresholds = LevelThresholds(fair: 65_000, serious: 75_000, critical: 85_000)

  var name: String { "devices/\(device)" }

  var gone: CameraTemperature {
    CameraTemperature(device: device, control: control, millidegrees: nil, fault: "the camera does not stream")
  }

  func claims(after previous: CameraTemperature?, overrides: ThresholdOverrides) -> [Claim] {
    let claim = Claim.temperature(millidegrees, overrides(name) ?? Self.thresholds, factor: .cameraTemperature)
    return claim.map { [$0] } ?? []
  }
}
