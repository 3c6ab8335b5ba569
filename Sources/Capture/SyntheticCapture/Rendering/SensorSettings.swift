internal import CaptureCore
internal import Glibc
internal import SystemClocks

/// The settings of a camera. A value; ``SyntheticControls`` has the names and ranges.
struct SensorSettings: Hashable, Sendable {
  var scene: SyntheticCameraConfiguration.Scene
  /// A number of code values that the sensor adds to luma.
  var brightness: Int64 = 0
  /// The contrast around middle grey, in hundredths of the scene's own contrast.
  var contrast: Int64 = 100
  /// Whether the camera sets exposure time and gain by itself. Automatic exposure takes the standard time and gain,
  /// changed by ``exposureBias``.
  var isExposureAutomatic = true {
    didSet { followAutomatic() }
  }
  /// By how much automatic exposure makes the picture brighter, in thousandths of an EV.
  var exposureBias: Int64 = 0 { didSet { followAutomatic() } }
  /// The exposure time in units of 100 µs.
  var exposureTime = Self.standardExposureTime
  /// The gain in hundredths: 100 is no gain.
  var gain = Self.standardGain
  var flashMode = FlashMode.off { didSet { if flashMode != .flash { strobedUntil = nil } } }
  /// How long a strobe lasts, in µs.
  var strobeTimeout = Self.longestStrobe
  /// When the strobe goes out; nil when no strobe was fired.
  var strobedUntil: MonotonicInstant?
  /// The temperature of the sensor in °C. The temperature changes no pixel.
  var temperature: Int64 = 35

  /// The flash modes, with the numbers of V4L2's menu.
  enum FlashMode: Int64, Hashable, Sendable { case off, flash, torch }

  var isTorchOn: Bool { flashMode == .torch }

  /// The settings for an exposure that begins at `instant`. A strobe that is lit at `instant` becomes a torch, and a
  /// flash that is not lit becomes off.
  func at(_ instant: MonotonicInstant) -> SensorSettings {
    var settings = self
    if flashMode == .flash { settings.flashMode = strobedUntil.map { instant < $0 } == true ? .torch : .off }
    settings.strobedUntil = nil
    return settings
  }

  /// The readings of a frame that is taken with these settings. They include the values that automatic exposure chose,
  /// which a driver would not tell.
  var readings: SensorReadings {
    var readings = SensorReadings(exposureNanoseconds: UInt64(exposureTime) * 100_000, gain: gain)
    if isExposureAutomatic { readings.exposureBias = Double(exposureBias) / 1000 }
    readings.isFlashOn = isTorchOn
    readings.isOfFrame = true
    return readings
  }

  /// Sets exposure time and gain when exposure is automatic. Their product gives pictures of the standard brightness,
  /// made brighter or darker by the bias. Where the longest exposure time does not suffice, the gain makes up for the
  /// rest.
  private mutating func followAutomatic() {
    guard isExposureAutomatic else { return }
    let light = Double(Self.standardExposureTime) * exp2(Double(exposureBias) / 1000)
    exposureTime = Int64(min(light.rounded(), Double(Self.longestExposureTime)))
    gain = Int64((Double(Self.standardGain) * max(1, light / Double(Self.longestExposureTime))).rounded())
  }

  static let longestStrobe: Int64 = 500_000
  /// The longest exposure time in units of 100 µs. 16 ms fit into the period of a frame at every rate that the camera
  /// offers.
  static let longestExposureTime: Int64 = 160

  static let standardExposureTime: Int64 = 100
  static let standardGain: Int64 = 100
}
