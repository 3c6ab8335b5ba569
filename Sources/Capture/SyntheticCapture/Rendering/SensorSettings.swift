internal import CaptureCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What a camera is set to. A value; see ``SyntheticControls`` for names and ranges.
struct SensorSettings: Hashable, Sendable {
  var scene: SyntheticCameraConfiguration.Scene
  /// Added to luma, in code values.
  var brightness: Int64 = 0
  /// Hundredths of the scene's own, about middle grey.
  var contrast: Int64 = 100
  /// Automatic exposure finds the light as it likes it: it takes the standard time and gain.
  var isExposureAutomatic = true {
    didSet { followAutomatic() }
  }
  /// Thousandths of an EV that automatic exposure makes the picture brighter by.
  var exposureBias: Int64 = 0 { didSet { followAutomatic() } }
  /// In units of 100 µs.
  var exposureTime = Self.standardExposureTime
  /// Hundredths.
  var gain = Self.standardGain
  var flashMode = FlashMode.off { didSet { if flashMode != .flash { strobedUntil = 0 } } }
  /// How long a strobe lasts, µs.
  var strobeTimeout = Self.longestStrobe
  /// When the strobe goes out, CLOCK_MONOTONIC.
  var strobedUntil: UInt64 = 0
  /// °C. Touches no pixel.
  var temperature: Int64 = 35

  /// As V4L2's menu of flash modes.
  enum FlashMode: Int64, Hashable, Sendable { case off, flash, torch }

  var isTorchOn: Bool { flashMode == .torch }

  /// As they act on an exposure that begins at `instant`, CLOCK_MONOTONIC: the strobe as light, or not.
  func at(_ instant: UInt64) -> SensorSettings {
    var settings = self
    if flashMode == .flash { settings.flashMode = instant < strobedUntil ? .torch : .off }
    settings.strobedUntil = 0
    return settings
  }

  /// What acts, also of the automatic ones: more than a driver would tell.
  var readings: SensorReadings {
    var readings = SensorReadings(exposureNanoseconds: UInt64(exposureTime) * 100_000, gain: gain)
    if isExposureAutomatic { readings.exposureBias = Double(exposureBias) / 1000 }
    readings.isFlashOn = isTorchOn
    readings.isOfFrame = true
    return readings
  }

  /// The standard light, more or less of it; what the time cannot do the gain does.
  private mutating func followAutomatic() {
    guard isExposureAutomatic else { return }
    let light = Double(Self.standardExposureTime) * exp2(Double(exposureBias) / 1000)
    exposureTime = Int64(min(light.rounded(), Double(Self.longestExposureTime)))
    gain = Int64((Double(Self.standardGain) * max(1, light / Double(Self.longestExposureTime))).rounded())
  }

  static let longestStrobe: Int64 = 500_000
  /// 16 ms fit into a frame at every rate.
  static let longestExposureTime: Int64 = 160

  static let standardExposureTime: Int64 = 100
  static let standardGain: Int64 = 100
}
