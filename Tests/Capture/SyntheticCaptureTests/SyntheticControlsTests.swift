import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SyntheticCapture

/// Tests the controls of synthetic cameras, with which clients can try out controls without hardware.
@Suite struct SyntheticControlsTests {
  private let provider = SyntheticDeviceProvider(count: 2, configuration: .init(scene: .still, noise: 0))

  /// Sets one control through the provider and returns its result; nil presses a button.
  private func set(_ id: String, _ value: ControlValue?, on device: String = "synthetic-0") async throws
    -> Result<ControlValue?, CaptureError>
  {
    try await provider.set([ControlSetting(control: id, value: value)], on: device)[0].outcome
  }

  /// The controls of a camera by id.
  private func controls(of device: String = "synthetic-0") async throws -> [String: Control] {
    Dictionary(uniqueKeysWithValues: try await provider.controls(of: device).map { ($0.id, $0) })
  }

  /// The reason of a refused setting; nil for a setting that succeeded.
  private func reason(_ result: Result<ControlValue?, CaptureError>) -> CaptureError.Reason? {
    guard case .failure(let error) = result else { return nil }
    return error.reason
  }

  /// A fresh camera lists all controls with their default values. Gain and exposure time are inactive, because exposure
  /// is automatic.
  @Test func allControlsAreListedWithTheirDefaults() async throws {
    let all = try await provider.controls(of: "synthetic-0")
    #expect(
      all.map(\.id) == [
        "brightness", "contrast", "gain", "auto_exposure", "exposure_time_absolute", "auto_exposure_bias", "led_mode",
        "strobe", "stop_strobe", "strobe_timeout", "test_pattern",
        "sensor_temperature", "reset_controls",
      ])
    for control in all where control.kind != .button { #expect(control.value == .integer(control.defaultValue)) }
    #expect(all.filter(\.flags.isInactive).map(\.id) == ["gain", "exposure_time_absolute"])
    let scenes = all.first { $0.id == "test_pattern" }?.menuItems.map(\.label)
    #expect(scenes == ["lightboard", "still", "bars"])
  }

  /// A setting of one camera does not change another camera.
  @Test func controlsBelongToOneCamera() async throws {
    #expect(try await set("brightness", .integer(20)) == .success(.integer(20)))
    #expect(try await controls()["brightness"]?.value == .integer(20))
    #expect(try await controls(of: "synthetic-1")["brightness"]?.value == .integer(0))
  }

  /// Exposure time and gain are refused with `controlInactive` while exposure is automatic, as a driver refuses them.
  /// When exposure becomes automatic again, it goes back to its own time.
  @Test func exposureTimeNeedsManualExposure() async throws {
    #expect(reason(try await set("exposure_time_absolute", .integer(50))) == .controlInactive)
    #expect(reason(try await set("gain", .integer(200))) == .controlInactive)
    #expect(try await set("auto_exposure", .integer(1)) == .success(.integer(1)))
    #expect(try await set("exposure_time_absolute", .integer(50)) == .success(.integer(50)))
    #expect(try await set("auto_exposure", .integer(0)) == .success(.integer(0)))
    let exposure = try #require(try await controls()["exposure_time_absolute"])
    #expect(exposure.value == .integer(100), "automatic exposure chooses the time again")
    #expect(exposure.flags.isInactive)
  }

  /// A strobe lights from its command until its time-out or until it is stopped; it is refused while the LED mode is
  /// not flash. A torch stays on. The flash gives the sensor four times the light.
  @Test func aStrobeLightsUntilItsTimeoutAndATorchStays() {
    var settings = SensorSettings(scene: .still)
    let standard = settings
    func set(_ id: String, _ value: Int64?, at now: MonotonicInstant = 0) -> CaptureError.Reason? {
      reason(
        SyntheticControls.set(
          ControlSetting(control: id, value: value.map { .integer($0) }), in: &settings, standard: standard,
          deviceID: "cam", now: now
        ).outcome)
    }
    #expect(set("strobe", nil) == .controlInactive, "a strobe needs the flash mode")
    #expect(set("strobe_timeout", 2000) == nil)
    #expect(set("led_mode", 1) == nil)
    #expect(set("strobe", nil, at: 5_000_000) == nil)
    #expect(settings.at(6_999_999).readings.isFlashOn == true)
    #expect(settings.at(7_000_000).readings.isFlashOn == false)
    #expect(set("stop_strobe", nil) == nil)
    #expect(settings.at(6_000_000).readings.isFlashOn == false)
    #expect(set("led_mode", 2) == nil)
    #expect(settings.at(.distantFuture).readings.isFlashOn == true, "a torch does not go out by itself")
    let color = YCbCr(46, 128, 128)
    #expect(
      SensorResponse(settings.at(0)).picture(of: color) == YCbCr(136, 128, 128), "the flash gives four times the light")
  }

  /// A bias of one EV doubles the light: with a longer exposure time up to 16 ms, and with gain for the rest. The
  /// readings tell the bias only while exposure is automatic, and switching to manual exposure keeps the time.
  @Test func aBiasChangesTimeAndThenGain() {
    var settings = SensorSettings(scene: .still)
    settings.exposureBias = 1000
    #expect((settings.exposureTime, settings.gain) == (160, 125), "gain does what the longest time cannot")
    settings.exposureBias = -1000
    #expect((settings.exposureTime, settings.gain) == (50, 100))
    #expect(settings.readings.exposureBias == -1)
    settings.isExposureAutomatic = false
    #expect(settings.readings.exposureBias == nil)
    #expect(settings.exposureTime == 50, "the time stays when exposure becomes manual")
  }

  /// An unknown control, a value beyond the range, a menu item that does not exist, a value of the wrong type and an
  /// unknown camera are each refused with their own reason.
  @Test func settingsThatDoNotFitAreRefused() async throws {
    #expect(reason(try await set("focus", .integer(1))) == .controlNotFound)
    #expect(reason(try await set("brightness", .integer(101))) == .unsupportedValue)
    #expect(reason(try await set("test_pattern", .integer(3))) == .unsupportedValue)
    #expect(reason(try await set("test_pattern", .text("bars"))) == .controlWrongType)
    await #expect(throws: CaptureError.self) { _ = try await provider.controls(of: "synthetic-7") }
  }

  /// The button `reset_controls` and unplugging the camera both bring all controls back to their defaults, as a camera
  /// that loses power forgets its settings.
  @Test func resettingOrRepluggingRestoresTheDefaults() async throws {
    let fresh = try await controls()
    for end in [{ _ = try await set("reset_controls", nil) }, { try await replug() }] {
      _ = try await set("contrast", .integer(150))
      _ = try await set("test_pattern", .integer(2))
      try await end()
      #expect(try await controls() == fresh)
    }
  }

  /// Unplugs the first camera, checks that its controls cannot be read meanwhile, and plugs it in again.
  private func replug() async throws {
    try provider.faults.unplug("synthetic-0")
    await #expect(throws: CaptureError.self) { _ = try await provider.controls(of: "synthetic-0") }
    try provider.faults.replug("synthetic-0")
  }

  /// A brightness that is set while the camera streams changes later frames, without a restart and without touching the
  /// timecode board.
  @Test func aSettingActsOnARunningStream() async throws {
    let sink = RecordingSink()
    let source = try await provider.start(
      smallRequest, on: "synthetic-0", pool: FramePool(budget: 64 << 20), sink: sink)
    @Sendable func brightness(_ frame: Frame) -> UInt8 { Rendered(frame).luma(160, 179) }
    let before = brightness(try await sink.frames.wait(count: 1)[0])
    #expect(try await set("brightness", .integer(10)) == .success(.integer(10)))
    // The sink keeps the memory of every frame. On a busy machine, the frames from before may have used up the pool, so
    // that no later frame would come.
    sink.frames.removeAll()
    let after = try await sink.frames.first { brightness($0) == before + 10 }
    await source.stop()
    #expect(Timecode(after)?.sequence == after.sequence)
  }
}

/// Tests how exposure, gain, contrast and brightness change the colours and the noise of the scene.
@Suite struct SensorResponseTests {
  private let layout = FrameLayout.packed(.nv12, Size(width: 640, height: 360))!

  /// The settings of a fresh camera, changed by `change`.
  private func settings(_ change: (inout SensorSettings) -> Void) -> SensorSettings {
    var settings = SensorSettings(scene: .bars)
    change(&settings)
    return settings
  }

  /// Manual exposure with a time in units of 100 µs and a gain in hundredths.
  private func manual(time: Int64 = 100, gain: Int64 = 100) -> SensorSettings {
    settings {
      $0.isExposureAutomatic = false
      ($0.exposureTime, $0.gain) = (time, gain)
    }
  }

  /// The colour that the sensor makes of a colour of the scene, without noise.
  private func seen(_ settings: SensorSettings, _ color: YCbCr) -> YCbCr { SensorResponse(settings).picture(of: color) }

  /// The settings of a fresh camera, and manual exposure with the same time and gain, change no colour.
  @Test func standardSettingsChangeNoColour() {
    for y in UInt8(16)...235 {
      #expect(seen(settings { _ in }, YCbCr(y, 90, 170)) == YCbCr(y, 90, 170))
      #expect(seen(manual(), YCbCr(y, 90, 170)) == YCbCr(y, 90, 170))
    }
  }

  /// Brightness moves luma, contrast stretches luma around middle grey, and time and gain multiply luma and chroma
  /// until the sensor saturates. Half the time and twice the gain cancel each other.
  @Test func eachControlHasItsEffect() {
    let color = YCbCr(116, 108, 148)
    #expect(seen(settings { $0.brightness = 30 }, color) == YCbCr(146, 108, 148))
    #expect(seen(settings { $0.contrast = 200 }, color) == YCbCr(106, 108, 148))
    #expect(seen(settings { $0.contrast = 0 }, color) == YCbCr(126, 108, 148))
    #expect(seen(manual(time: 50), color) == YCbCr(66, 118, 138))
    #expect(seen(manual(gain: 200), color) == YCbCr(216, 88, 168))
    #expect(seen(manual(time: 50, gain: 200), color) == color)
    #expect(seen(manual(gain: 800), color) == YCbCr(235, 16, 240), "the sensor is saturated")
  }

  /// A picture with half the exposure time and twice the gain is as bright as the standard picture and noisier, as on
  /// any sensor.
  @Test func gainIsNoisierThanALongerExposure() {
    let noise = SensorNoise(level: 2, seed: 1)
    let color = YCbCr(grey: 126)
    let standard = noise.deviation(of: color).y
    let bright = SensorResponse(manual(time: 50, gain: 200)).deviation(of: color, noise).y
    // Half the light has 0.2 + 0.4 = 0.6 of the variance, and gain doubles the deviation: 2 · √0.6 = 1.549.
    #expect(abs(Double(bright) / Double(standard) - 1.549) < 0.05)
  }

  /// The timecode board can be read with extreme exposure, gain, brightness and contrast.
  @Test func controlsDoNotChangeTheBoard() {
    for settings in [manual(time: 1), manual(gain: 800), settings { ($0.brightness, $0.contrast) = (100, 0) }] {
      let renderer = FrameRenderer(configuration: .init(), settings: settings, layout: layout, isBinned: false)
      let picture = Rendered(renderer, layout, sequence: 42)
      #expect(Timecode(picture.frame) == Timecode(sequence: 42, time: Rendered.instant))
    }
  }

  /// A renderer whose settings change between two pictures draws the same picture as a renderer that began with these
  /// settings, so that nothing of the former scene remains.
  @Test func changedSettingsDrawThePictureOfAFreshRenderer() {
    let changed = FrameRenderer(configuration: .init(noise: 3), layout: layout, isBinned: false)
    _ = Rendered(changed, layout, sequence: 1)
    let wanted = settings {
      $0.scene = .lightboard
      $0.brightness = -20
    }
    changed.apply(wanted)
    let fresh = FrameRenderer(configuration: .init(noise: 3), settings: wanted, layout: layout, isBinned: false)
    #expect(Rendered(changed, layout, sequence: 9).bytes == Rendered(fresh, layout, sequence: 9).bytes)
  }
}
