import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SyntheticCapture

@Suite struct SyntheticControlsTests {
  private let provider = SyntheticDeviceProvider(count: 2, configuration: .init(scene: .still, noise: 0))

  private func set(_ id: String, _ value: ControlValue?, on device: String = "synthetic-0") async throws
    -> Result<ControlValue?, CaptureError>
  {
    try await provider.set([ControlSetting(control: id, value: value)], on: device)[0].outcome
  }

  private func controls(of device: String = "synthetic-0") async throws -> [String: Control] {
    Dictionary(uniqueKeysWithValues: try await provider.controls(of: device).map { ($0.id, $0) })
  }

  private func reason(_ result: Result<ControlValue?, CaptureError>) -> CaptureError.Reason? {
    guard case .failure(let error) = result else { return nil }
    return error.reason
  }

  @Test func listsThem() async throws {
    let all = try await provider.controls(of: "synthetic-0")
    #expect(
      all.map(\.id) == [
        "brightness", "contrast", "gain", "auto_exposure", "exposure_time_absolute", "auto_exposure_bias", "led_mode",
        "strobe", "stop_strobe", "strobe_timeout", "test_pattern",
        "sensor_temperature", "reset_controls",
      ])
    for control in all where control.kind != .button { #expect(control.value == .integer(control.defaultValue)) }
    #expect(all.filter(\.isInactive).map(\.id) == ["gain", "exposure_time_absolute"])
    let scenes = all.first { $0.id == "test_pattern" }?.menuItems.map(\.label)
    #expect(scenes == ["lightboard", "still", "bars"])
  }

  @Test func belongToOneCamera() async throws {
    #expect(try await set("brightness", .integer(20)) == .success(.integer(20)))
    #expect(try await controls()["brightness"]?.value == .integer(20))
    #expect(try await controls(of: "synthetic-1")["brightness"]?.value == .integer(0))
  }

  @Test func exposureIsManualOnlyWhenAskedFor() async throws {
    #expect(reason(try await set("exposure_time_absolute", .integer(50))) == .controlInactive)
    #expect(reason(try await set("gain", .integer(200))) == .controlInactive)
    #expect(try await set("auto_exposure", .integer(1)) == .success(.integer(1)))
    #expect(try await set("exposure_time_absolute", .integer(50)) == .success(.integer(50)))
    #expect(try await set("auto_exposure", .integer(0)) == .success(.integer(0)))
    let exposure = try #require(try await controls()["exposure_time_absolute"])
    #expect(exposure.value == .integer(100), "the automatic takes what it likes")
    #expect(exposure.isInactive)
  }

  @Test func theFlashLightsUntilItsTimeIsOver() {
    var settings = SensorSettings(scene: .still)
    let standard = settings
    func set(_ id: String, _ value: Int64?, at now: MonotonicInstant = 0) -> CaptureError.Reason? {
      reason(
        SyntheticControls.set(
          ControlSetting(control: id, value: value.map { .integer($0) }), in: &settings, standard: standard,
          deviceID: "cam", now: now
        ).outcome)
    }
    #expect(set("strobe", nil) == .controlInactive, "not in this mode")
    #expect(set("strobe_timeout", 2000) == nil)
    #expect(set("led_mode", 1) == nil)
    #expect(set("strobe", nil, at: 5_000_000) == nil)
    #expect(settings.at(6_999_999).readings.isFlashOn == true)
    #expect(settings.at(7_000_000).readings.isFlashOn == false)
    #expect(set("stop_strobe", nil) == nil)
    #expect(settings.at(6_000_000).readings.isFlashOn == false)
    #expect(set("led_mode", 2) == nil)
    #expect(settings.at(.distantFuture).readings.isFlashOn == true, "a torch stays")
    let color = YCbCr(46, 128, 128)
    #expect(SensorResponse(settings.at(0)).picture(of: color) == YCbCr(136, 128, 128), "four times the light")
  }

  @Test func aBiasIsLight() {
    var settings = SensorSettings(scene: .still)
    settings.exposureBias = 1000
    #expect((settings.exposureTime, settings.gain) == (160, 125), "what time cannot do")
    settings.exposureBias = -1000
    #expect((settings.exposureTime, settings.gain) == (50, 100))
    #expect(settings.readings.exposureBias == -1)
    settings.isExposureAutomatic = false
    #expect(settings.readings.exposureBias == nil)
    #expect(settings.exposureTime == 50, "as it was")
  }

  @Test func refusesWhatItDoesNotHave() async throws {
    #expect(reason(try await set("focus", .integer(1))) == .controlNotFound)
    #expect(reason(try await set("brightness", .integer(101))) == .unsupportedValue)
    #expect(reason(try await set("test_pattern", .integer(3))) == .unsupportedValue)
    #expect(reason(try await set("test_pattern", .text("bars"))) == .controlWrongType)
    await #expect(throws: CaptureError.self) { _ = try await provider.controls(of: "synthetic-7") }
  }

  @Test func theButtonAndPowerBringTheDefaultsBack() async throws {
    let fresh = try await controls()
    for end in [{ _ = try await set("reset_controls", nil) }, { try await replug() }] {
      _ = try await set("contrast", .integer(150))
      _ = try await set("test_pattern", .integer(2))
      try await end()
      #expect(try await controls() == fresh)
    }
  }

  private func replug() async throws {
    try provider.faults.unplug("synthetic-0")
    await #expect(throws: CaptureError.self) { _ = try await provider.controls(of: "synthetic-0") }
    try provider.faults.replug("synthetic-0")
  }

  @Test func theyActOnARunningStream() async throws {
    let sink = RecordingSink()
    let source = try await provider.start(
      smallRequest, on: "synthetic-0", pool: FramePool(budget: 64 << 20), sink: sink)
    @Sendable func brightness(_ frame: Frame) -> UInt8 { Rendered(frame).luma(160, 179) }
    let before = brightness(try await sink.frames.wait(count: 1)[0])
    #expect(try await set("brightness", .integer(10)) == .success(.integer(10)))
    // The sink keeps every frame: on a busy machine those from before may have used up the pool.
    sink.frames.removeAll()
    let after = try await sink.frames.first { brightness($0) == before + 10 }
    await source.stop()
    #expect(Timecode(after)?.sequence == after.sequence)
  }
}

@Suite struct SensorResponseTests {
  private let layout = FrameLayout.packed(.nv12, Size(width: 640, height: 360))!

  private func settings(_ change: (inout SensorSettings) -> Void) -> SensorSettings {
    var settings = SensorSettings(scene: .bars)
    change(&settings)
    return settings
  }

  private func manual(time: Int64 = 100, gain: Int64 = 100) -> SensorSettings {
    settings {
      $0.isExposureAutomatic = false
      ($0.exposureTime, $0.gain) = (time, gain)
    }
  }

  private func seen(_ settings: SensorSettings, _ color: YCbCr) -> YCbCr { SensorResponse(settings).picture(of: color) }

  @Test func theStandardChangesNothing() {
    for y in UInt8(16)...235 {
      #expect(seen(settings { _ in }, YCbCr(y, 90, 170)) == YCbCr(y, 90, 170))
      #expect(seen(manual(), YCbCr(y, 90, 170)) == YCbCr(y, 90, 170))
    }
  }

  @Test func eachDoesWhatItsNameSays() {
    let color = YCbCr(116, 108, 148)
    #expect(seen(settings { $0.brightness = 30 }, color) == YCbCr(146, 108, 148))
    #expect(seen(settings { $0.contrast = 200 }, color) == YCbCr(106, 108, 148))
    #expect(seen(settings { $0.contrast = 0 }, color) == YCbCr(126, 108, 148))
    #expect(seen(manual(time: 50), color) == YCbCr(66, 118, 138))
    #expect(seen(manual(gain: 200), color) == YCbCr(216, 88, 168))
    #expect(seen(manual(time: 50, gain: 200), color) == color)
    #expect(seen(manual(gain: 800), color) == YCbCr(235, 16, 240), "saturated")
  }

  @Test func gainIsNoisierThanLight() {
    let noise = SensorNoise(level: 2, seed: 1)
    let color = YCbCr(grey: 126)
    let standard = noise.deviation(of: color).y
    let bright = SensorResponse(manual(time: 50, gain: 200)).deviation(of: color, noise).y
    // Half the light has 0.2 + 0.4 of the variance; gain doubles the deviation: 2 · √0.6.
    #expect(abs(Double(bright) / Double(standard) - 1.549) < 0.05)
  }

  @Test func theBoardStaysAsItIs() {
    for settings in [manual(time: 1), manual(gain: 800), settings { ($0.brightness, $0.contrast) = (100, 0) }] {
      let renderer = FrameRenderer(configuration: .init(), settings: settings, layout: layout, isBinned: false)
      let picture = Rendered(renderer, layout, sequence: 42)
      #expect(Timecode(picture.frame) == Timecode(sequence: 42, time: Rendered.instant))
    }
  }

  @Test func aChangedPictureIsThatOfACameraThatStartsWithIt() {
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
