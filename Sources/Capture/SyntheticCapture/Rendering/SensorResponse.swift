internal import CaptureCore

/// How a sensor turns light into code values: exposure acts first, then gain, then contrast and brightness. A value.
///
/// A longer exposure collects more light, and the noise grows only with the square root of the light; gain makes light
/// and noise larger alike. A short exposure with much gain is therefore as bright as the standard exposure but noisier,
/// as with any sensor.
struct SensorResponse: Hashable, Sendable {
  /// The response to the standard settings, which changes neither colours nor noise.
  static let standard = SensorResponse(SensorSettings(scene: .lightboard))

  private let exposure: Double
  private let gain: Double
  private let contrast: Double
  private let brightness: Double

  init(_ settings: SensorSettings) {
    // The flash adds three times the light of the scene, so that the sensor gets four times the light.
    let light = settings.isTorchOn ? 4.0 : 1.0
    exposure = light * Double(settings.exposureTime) / Double(SensorSettings.standardExposureTime)
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

  /// The deviation of the noise for a colour of the scene, in the units of ``SensorNoise/deviation(of:)``.
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
