/// What a camera is set to. A value; see ``SyntheticControls`` for names and ranges.
struct SensorSettings: Hashable, Sendable {
  var scene: SyntheticCameraConfiguration.Scene
  /// Added to luma, in code values.
  var brightness: Int64 = 0
  /// Hundredths of the scene's own, about middle grey.
  var contrast: Int64 = 100
  /// Automatic exposure finds the light as it likes it: it takes the standard time and gain.
  var isExposureAutomatic = true {
    didSet { if isExposureAutomatic { (exposureTime, gain) = (Self.standardExposureTime, Self.standardGain) } }
  }
  /// In units of 100 µs.
  var exposureTime = Self.standardExposureTime
  /// Hundredths.
  var gain = Self.standardGain
  /// °C. Touches no pixel.
  var temperature: Int64 = 35

  static let standardExposureTime: Int64 = 100
  static let standardGain: Int64 = 100
}

/// How light becomes code values: exposure, then gain, then contrast and brightness. A value.
///
/// Time collects light, and noise with it as its root; gain makes both larger. So a short exposure with much gain is as
/// bright as the standard one and noisier, as with any sensor.
struct SensorResponse: Hashable, Sendable {
  /// Changes nothing.
  static let standard = SensorResponse(SensorSettings(scene: .lightboard))

  private let exposure: Double
  private let gain: Double
  private let contrast: Double
  private let brightness: Double

  init(_ settings: SensorSettings) {
    exposure = Double(settings.exposureTime) / Double(SensorSettings.standardExposureTime)
    gain = Double(settings.gain) / Double(SensorSettings.standardGain)
    contrast = Double(settings.contrast) / 100
    brightness = Double(settings.brightness)
  }

  /// The picture of a colour of the scene, without noise.
  func picture(of color: YCbCr) -> YCbCr {
    guard self != .standard else { return color }
    let light = 16 + (Double(color.y) - 16) * exposure * gain
    return YCbCr(
      Self.clamped((light - 126) * contrast + 126 + brightness, 16...235), chroma(color.cb), chroma(color.cr))
  }

  /// The deviation of the noise of a colour of the scene, as ``SensorNoise/deviation(of:)``.
  func deviation(of color: YCbCr, _ noise: SensorNoise) -> YCbCr {
    guard self != .standard else { return noise.deviation(of: color) }
    let collected = Self.clamped(16 + (Double(color.y) - 16) * exposure, 16...235)
    let base = noise.deviation(of: YCbCr(collected, color.cb, color.cr))
    return YCbCr(
      Self.clamped(Double(base.y) * gain * contrast, 0...255), Self.clamped(Double(base.cb) * gain, 0...255),
      Self.clamped(Double(base.cr) * gain, 0...255))
  }

  private func chroma(_ value: UInt8) -> UInt8 {
    Self.clamped(128 + (Double(value) - 128) * exposure * gain, 16...240)
  }

  private static func clamped(_ value: Double, _ range: ClosedRange<Double>) -> UInt8 {
    UInt8(min(max(value, range.lowerBound), range.upperBound).rounded())
  }
}
