import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

/// Makes a control as a driver would list it.
///
/// - Parameters:
///   - id: V4L2's number of the control.
///   - value: the present value; nil for a button.
///   - menu: the items of a menu: for each index, the number that the item stands for.
private func control(
  _ name: String, _ id: UInt32, _ kind: Control.Kind = .integer, _ range: ClosedRange<Int64> = 0...1000,
  value: Int64? = 0, menu: [Int64: Int64] = [:]
) -> Control {
  var control = Control(
    id: Control.id(ofName: name), displayName: name, v4l2ID: id, kind: kind, minimum: range.lowerBound,
    maximum: range.upperBound)
  control.value = value.map { .integer($0) }
  control.menuItems = menu.sorted { $0.key < $1.key }.map { Control.MenuItem(index: $0.key, value: $0.value) }
  return control
}

private let automatic = control("Auto Exposure", 0x009a_0901, .menu, 0...3, value: 3, menu: [1: 0, 3: 0])
private let time = control("Exposure Time, Absolute", 0x009a_0902, .integer, 3...2047, value: 250)
private let gain = control("Gain", 0x0098_0913, .integer, 0...100, value: 20)
private let bias = control(
  "Auto Exposure, Bias", 0x009a_0913, .integerMenu, 0...2, value: 1, menu: [0: -1000, 1: 0, 2: 500])
private let mode = control("LED Mode", 0x009c_0901, .menu, 0...2, value: 0, menu: [0: 0, 1: 0, 2: 0])
private let strobe = control("Strobe", 0x009c_0903, .button, value: nil)
private let stop = control("Stop Strobe", 0x009c_0904, .button, value: nil)
private let timeout = control("Strobe Timeout", 0x009c_0906, .integer, 1000...400_000, value: 100_000)

/// A plan for a camera with these controls.
private func plan(_ controls: Control...) -> ShotPlan { ShotPlan(controls, deviceID: "cam") }

/// The setting of `control` to `value`; nil for a button.
private func set(_ control: Control, _ value: Int64?) -> ControlSetting {
  ControlSetting(control: control.id, value: value.map { .integer($0) })
}

/// Tests which controls a shot sets, in which order, and how the plan sets the controls back. A wrong order makes a
/// driver refuse a setting, and a control that is not set back spoils the preview after the photo.
@Suite struct ShotPlanTests {
  /// Manual exposure switches automatic exposure off first, because drivers refuse an exposure time that automatic
  /// exposure governs. The exposure time is rounded to V4L2's unit of 100 µs, and the readings tell the rounded time.
  @Test func automaticExposureIsSwitchedOffBeforeManualExposureIsSet() throws {
    let plan = plan(time, gain, automatic)
    let settings = try plan.settings(
      for: Shot.Step(exposure: .manual(ManualExposure(nanoseconds: 4_960_000, gain: 7))))
    #expect(settings.controls == [set(automatic, 1), set(time, 50), set(gain, 7)])
    #expect(
      settings.readings == SensorReadings(exposureNanoseconds: 5_000_000, gain: 7),
      "the readings have the time that the camera exposes for, which is rounded")
    #expect(!settings.settles)
  }

  /// The plan restores controls in the reverse order of their setting, so that automatic exposure is switched on again
  /// last. Each control gets the value from before the first step, and a control that no step set stays as it is.
  @Test func controlsAreRestoredInReverseOrder() throws {
    let plan = plan(time, gain, automatic)
    let first = try plan.settings(for: Shot.Step(exposure: .manual(ManualExposure(nanoseconds: 500_000, gain: 7))))
    let second = try plan.settings(for: Shot.Step(exposure: .manual(ManualExposure(nanoseconds: 900_000))))
    #expect(
      plan.restoring(first.controls + second.controls) == [set(gain, 20), set(time, 250), set(automatic, 3)],
      "each control gets its value from before the first step")
    #expect(plan.restoring([]).isEmpty)
    #expect(plan.restoring([set(automatic, 1)]) == [set(automatic, 3)], "only controls that were set are restored")
  }

  /// When a step leaves out a setting that an earlier step made, the plan restores the camera's former value, so that
  /// each photo of a bracket depends on its own step alone. When automatic exposure is thereby switched on again, it
  /// needs several frames to settle.
  @Test func aStepInheritsNoSettingsFromEarlierSteps() throws {
    let plan = plan(time, gain, automatic, bias)
    func step(_ nanoseconds: UInt64?, _ gain: Int64? = nil) -> Shot.Step {
      Shot.Step(exposure: .manual(ManualExposure(nanoseconds: nanoseconds, gain: gain)))
    }
    let first = try plan.settings(for: step(4_000_000, 80))
    #expect(first.undone.isEmpty)
    let second = try plan.settings(for: step(2_000_000), after: first.controls)
    #expect(second.undone == [set(gain, 20)])
    #expect(second.controls == [set(automatic, 1), set(time, 20)])
    #expect(!second.settles)
    let brighter = try plan.settings(for: Shot.Step(exposure: .bias(0.5)), after: first.controls)
    #expect(
      brighter.undone == [set(gain, 20), set(time, 250), set(automatic, 3)],
      "a bias needs automatic exposure, so the manual values are undone")
    #expect(brighter.controls == [set(bias, 2)])
    let byHand = try plan.settings(for: step(2_000_000), after: brighter.controls)
    #expect(byHand.undone == [set(bias, 1)])
    #expect(!byHand.settles)
    let usual = try plan.settings(for: Shot.Step(), after: first.controls)
    #expect(usual.undone == brighter.undone)
    #expect(usual.settles, "automatic exposure is on again and has to settle")
  }

  /// A step with a gain and no exposure time leaves automatic exposure on, which then has to find another exposure
  /// time. When automatic exposure governs the gain too, the step is refused with `controlInactive`, unless it sets the
  /// exposure time as well.
  @Test func aGainWithoutATimeKeepsAutomaticExposureOn() throws {
    let step = Shot.Step(exposure: .manual(ManualExposure(gain: 7)))
    let settings = try plan(time, gain, automatic).settings(for: step)
    #expect(settings.controls == [set(gain, 7)])
    #expect(settings.settles, "automatic exposure has to find another exposure time")
    var governed = gain
    governed.flags.isInactive = true
    let error = #expect(throws: CaptureError.self) {
      _ = try plan(time, governed, automatic).settings(for: step)
    }
    #expect(error?.reason == .controlInactive)
    let both = Shot.Step(exposure: .manual(ManualExposure(nanoseconds: 900_000, gain: 7)))
    #expect(
      try plan(time, governed, automatic).settings(for: both).controls == [
        set(automatic, 1), set(time, 9), set(gain, 7),
      ])
  }

  /// On a camera without a bias control, a bias is a multiple of the exposure that the camera uses now. If the camera's
  /// time or gain is inactive, its value may be old, so the camera has no biases and refuses one. An inactive control
  /// that is also volatile follows the hardware, and its value counts.
  @Test func aManualBiasNeedsTheCamerasPresentExposure() throws {
    var (staleTime, staleGain) = (time, gain)
    (staleTime.flags.isInactive, staleGain.flags.isInactive) = (true, true)
    let brighter = Shot.Step(exposure: .bias(1))
    for stale in [plan(automatic, staleTime, gain), plan(automatic, time, staleGain)] {
      #expect(stale.capabilities.biases == nil)
      #expect(stale.capabilities.exposures != nil)
      let error = #expect(throws: CaptureError.self) { _ = try stale.settings(for: brighter) }
      #expect(error?.reason == .notSupportedInConfiguration)
    }
    #expect(
      plan(automatic, staleTime, gain, bias).capabilities.biases == -1...0.5,
      "a bias control does not need the present exposure")
    // A volatile control tells the value that the hardware uses now.
    (staleTime.flags.isVolatile, staleGain.flags.isVolatile) = (true, true)
    let told = plan(automatic, staleTime, staleGain)
    #expect(told.capabilities.biases == -2...2)
    #expect(try told.settings(for: brighter).controls == [set(automatic, 1), set(time, 500), set(gain, 20)])
  }

  /// During a shot that sets the exposure, clients may set none of the controls of exposure, because these controls
  /// govern one another. During a shot with a flash, the same holds for the controls of the flash. Other controls, such
  /// as brightness, stay free.
  @Test func aShotTakesTheControlsThatAffectIt() {
    let plan = plan(automatic, time, gain, bias, mode, control("Brightness", 0x0098_0900))
    #expect(plan.taken(by: [Shot.Step()]).isEmpty)
    #expect(plan.taken(by: [Shot.Step(flash: true)]) == [mode.id])
    #expect(
      plan.taken(by: [Shot.Step(), Shot.Step(exposure: .bias(1))]) == [automatic.id, time.id, gain.id, bias.id])
  }

  /// On a camera with an automatic gain control, a gain switches automatic gain off first, and automatic gain is
  /// switched on again last.
  @Test func automaticGainIsSwitchedOffForGain() throws {
    let automaticGain = control("Gain, Automatic", 0x0098_0912, .boolean, 0...1, value: 1)
    let plan = plan(gain, automaticGain)
    let settings = try plan.settings(for: Shot.Step(exposure: .manual(ManualExposure(gain: 5))))
    #expect(settings.controls == [set(automaticGain, 0), set(gain, 5)])
    #expect(plan.restoring(settings.controls) == [set(gain, 20), set(automaticGain, 1)])
  }

  /// On a camera whose bias control is a menu, the plan chooses the item nearest to the bias that the client asked for,
  /// and tells the bias of that item.
  @Test func aBiasIsRoundedToTheNearestOfTheCamera() throws {
    let settings = try plan(bias, automatic, time).settings(for: Shot.Step(exposure: .bias(0.7)))
    #expect(settings.controls == [set(bias, 2)])
    #expect(settings.readings.exposureBias == 0.5)
    #expect(settings.settles, "automatic exposure has to find the new exposure")
  }

  /// On a camera without a bias control, the plan makes the bias with a manual exposure time. It does the same while
  /// exposure is manual, because a bias control acts only on automatic exposure. A bias beyond the camera's exposure
  /// range is refused with `unsupportedValue`.
  @Test func aBiasWithoutABiasControlIsSetManually() throws {
    let settings = try plan(automatic, time, gain).settings(for: Shot.Step(exposure: .bias(-1)))
    #expect(settings.controls == [set(automatic, 1), set(time, 125), set(gain, 20)])
    #expect(settings.readings.exposureNanoseconds == 12_500_000)
    #expect(!settings.settles)
    var manual = automatic
    manual.value = .integer(1)
    let beside = try plan(manual, time, bias).settings(for: Shot.Step(exposure: .bias(1)))
    #expect(beside.controls == [set(manual, 1), set(time, 500)], "a bias control does not change a manual exposure")
    let error = #expect(throws: CaptureError.self) {
      _ = try plan(automatic, control("Exposure Time, Absolute", 0x009a_0902, .integer, 1...300, value: 250))
        .settings(for: Shot.Step(exposure: .bias(1)))
    }
    #expect(error?.reason == .unsupportedValue)
  }

  /// A camera with a strobe fires the flash with the longest time-out that it has, and the plan stops the strobe before
  /// it restores the flash mode. The settings tell when the flash goes out by itself, so that later frames are not
  /// taken for lit ones.
  @Test func aFlashIsFiredWithTheLongestTimeout() throws {
    let plan = plan(mode, strobe, stop, timeout)
    let settings = try plan.settings(for: Shot.Step(flash: true))
    #expect(settings.controls == [set(mode, 1), set(timeout, 400_000), set(strobe, nil)])
    #expect(settings.flashNanoseconds == 400_000_000)
    #expect(plan.restoring(settings.controls) == [set(stop, nil), set(timeout, 100_000), set(mode, 0)])
  }

  /// On a camera that cannot strobe, the flash is the torch, which does not go out by itself.
  @Test func aCameraWithoutAStrobeUsesItsTorch() throws {
    let plan = plan(mode)
    let settings = try plan.settings(for: Shot.Step(flash: true))
    #expect(settings.controls == [set(mode, 2)])
    #expect(settings.flashNanoseconds == nil)
    #expect(plan.restoring(settings.controls) == [set(mode, 0)])
  }

  /// A torch that a client has dimmed is set to its full intensity for the photo, and gets its former intensity back.
  @Test func aDimmedTorchGetsFullIntensityForThePhoto() throws {
    let intensity = control("Intensity, Torch Mode", 0x009c_0908, .integer, 1...255, value: 50)
    var lit = mode
    lit.value = .integer(2)
    let plan = plan(lit, intensity)
    let settings = try plan.settings(for: Shot.Step(flash: true))
    #expect(settings.controls == [set(mode, 2), set(intensity, 255)])
    #expect(plan.restoring(settings.controls) == [set(intensity, 50), set(mode, 2)])
  }

  /// A flash that another camera or process uses is refused with `controlGrabbed`, because the flash mode is then a
  /// setting of the other user, which the plan must not restore later.
  @Test func aGrabbedFlashIsRefused() {
    var grabbed = mode
    grabbed.flags.isGrabbed = true
    let error = #expect(throws: CaptureError.self) { _ = try plan(grabbed).settings(for: Shot.Step(flash: true)) }
    #expect(error?.reason == .controlGrabbed)
  }

  /// The capabilities, in nanoseconds, gain values and EV, follow from the ranges of the controls. A camera whose
  /// exposure menu has no manual item has no manual exposure.
  @Test func capabilitiesFollowFromTheControls() {
    let none = plan(control("Brightness", 0x0098_0900)).capabilities
    #expect(none == ShotCapabilities())
    #expect(none.maxBracketedPhotos == 0)
    let all = plan(automatic, time, gain, bias, mode).capabilities
    #expect(all.exposures == 300_000...204_700_000)
    #expect(all.gains == 0...100)
    #expect(all.biases == -1...0.5)
    #expect(all.hasFlash)
    #expect(plan(automatic, time).capabilities.biases == -2...2)
    var fixed = automatic
    fixed.menuItems.removeFirst()
    #expect(plan(fixed, time).capabilities.exposures == nil, "the menu has no item for manual exposure")
  }

  /// A step with a setting that the camera has no control for is refused with `notSupportedInConfiguration`.
  @Test func settingsThatTheCameraLacksAreRefused() {
    for step in [
      Shot.Step(exposure: .manual(ManualExposure(nanoseconds: 1))), Shot.Step(exposure: .bias(1)),
      Shot.Step(flash: true),
    ] {
      let error = #expect(throws: CaptureError.self) { _ = try plan(gain).settings(for: step) }
      #expect(error?.reason == .notSupportedInConfiguration)
    }
  }
}

/// Tests which frame the gate takes as the first with the settings of a step. A frame that is taken too early shows the
/// former exposure in the photo.
@Suite struct FrameGateTests {
  /// A frame whose time stamp is ten nanoseconds per sequence number.
  private func frame(
    _ sequence: UInt64, _ source: FrameTime.Source = .startOfExposure, _ sensor: SensorReadings = SensorReadings()
  ) -> Frame {
    Frame(
      streamID: 1, sequence: sequence,
      time: FrameTime(monotonic: .epoch + sequence * 10, wall: 0, source: source),
      layout: .packed(.grey, Size(width: 2, height: 2))!, buffer: .empty, sensor: sensor)
  }

  /// The sequence number of the first frame that the gate admits, of frames 1 to 100; nil when it admits none.
  private func first(
    _ conditions: ShotConditions, _ source: FrameTime.Source = .startOfExposure,
    luma: (UInt64) -> Double? = { _ in 100 }, sensor: (UInt64) -> SensorReadings = { _ in SensorReadings() }
  ) -> UInt64? {
    var gate = FrameGate(conditions)
    return (1...100).first { gate.admits(frame($0, source, sensor($0))) { [sequence = $0] in luma(sequence) } }
  }

  /// When frames do not tell their settings, the gate skips two frames whose exposure began after the settings, and one
  /// more when the time stamp marks the end of a frame or its arrival.
  @Test func aCameraWithoutReadingsGetsTwoFramesToApplyItsSettings() {
    // Frames 5, 6 and later have a time stamp of 50 ns or more.
    #expect(first(ShotConditions(earliest: 50)) == 7)
    #expect(first(ShotConditions(earliest: 50), .endOfFrame) == 8)
    #expect(first(ShotConditions(earliest: 50), .arrival) == 8)
  }

  /// When frames tell their settings, the gate admits the first frame whose exposure, gain and flash are those of the
  /// step, and does not count frames.
  @Test func readingsOfTheFrameDecideWhereACameraGivesThem() {
    var wanted = SensorReadings(exposureNanoseconds: 5, gain: 2)
    wanted.isOfFrame = true
    let told = { (sequence: UInt64) -> SensorReadings in
      var sensor = SensorReadings(exposureNanoseconds: sequence < 8 ? 9 : 5, gain: 2)
      sensor.isOfFrame = true
      sensor.isFlashOn = sequence >= 10
      return sensor
    }
    #expect(first(ShotConditions(earliest: 50, readings: wanted), sensor: told) == 8)
    #expect(first(ShotConditions(earliest: 50), sensor: told) == 5)
    #expect(first(ShotConditions(earliest: 50, isFlashOn: true), sensor: told) == 10)
  }

  /// When automatic exposure has to settle, the gate waits until three frames in a row are equally bright, for 30
  /// frames at most, or for 15 when the brightness of the frames is not available.
  @Test func automaticExposureIsWaitedForUntilItSettles() {
    let conditions = ShotConditions(earliest: 50, settles: true)
    #expect(first(conditions, luma: { $0 < 12 ? Double($0) * 10 : 120 }) == 14, "frames 12 to 14 are equally bright")
    #expect(first(conditions, luma: { Double($0 % 2) * 50 }) == 35, "the gate gives up after 30 frames")
    #expect(first(conditions, luma: { _ in nil }) == 20, "without a brightness, the gate gives up after 15 frames")
  }
}
