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

/// Makes a picture look as if it had too little light: moves every pixel towards black and every colour towards grey.
struct Underexposure {
  private let luma: [UInt8]
  private let chroma: [UInt8]

  /// - Parameter brightness: the share of the light that is left, 0 to 1.
  init(brightness: Double) {
    luma = (0..<256).map { UInt8(min(255, 16 + max(0, Double($0) - 16) * brightness)) }
    chroma = (0..<256).map { UInt8(min(255, 128 + (Double($0) - 128) * brightness)) }
  }

  /// Darkens a picture in place.
  ///
  /// - Parameter layout: packed NV12 or YUYV.
  func apply(to picture: UnsafeMutablePointer<UInt8>, _ layout: FrameLayout) {
    let isPlanar = layout.pixelFormat == .nv12
    for (index, plane) in layout.planes.enumerated() {
      let bytes = picture + plane.offset
      let (even, odd) = isPlanar ? (index == 0 ? (luma, luma) : (chroma, chroma)) : (luma, chroma)
      even.withUnsafeBufferPointer { even in
        odd.withUnsafeBufferPointer { odd in
          var i = 0
          // A plain loop, which the optimiser turns into fast code (see ``SensorNoise``).
          while i &+ 1 < plane.rows &* plane.stride {
            bytes[i] = even[Int(bytes[i])]
            bytes[i &+ 1] = odd[Int(bytes[i &+ 1])]
            i &+= 2
          }
        }
      }
    }
  }
}
