internal import CaptureCore
internal import Logging
internal import Synchronization

/// The machine's ``FlashLED``, lent to one camera at a time.
///
/// It appears among the controls of each camera without a flash of its own, as V4L2's flash controls. The camera that lights
/// it has it until it is dark or as bright as before; others are told meanwhile that theirs are grabbed. No node is
/// needed, for what a camera lit must go out when that was unplugged; if nobody sees to it, it is put back with the news.
///
/// Its calls block for microseconds.
final class SharedFlashLED: Sendable {
  /// The controls' ids.
  private static let names: Set = ["led_mode", "strobe", "stop_strobe", "strobe_timeout", "intensity_torch_mode"]
  /// Of V4L2's menu.
  private enum Mode { static let none: Int64 = 0, flash: Int64 = 1, torch: Int64 = 2 }

  private struct Loan {
    var led: FlashLED
    var deviceID: String
    /// What it was before.
    var brightness: Int64
    var timeout: Int64?
    /// Dark until it is struck.
    var isFlash = false
  }
  private struct State {
    var loan: Loan?
    /// The torch's, when it is lit next; nil is as bright as it gets.
    var intensity: Int64?
    /// Which LED was found not to be writable.
    var refused: FlashLED?
  }
  private let state = Mutex(State())
  private let sysfs: String
  private let logger: Logger

  /// - Parameter logger: told, once, of an LED that this process may not light.
  init(sysfs: String, logger: Logger) {
    self.sysfs = sysfs
    self.logger = logger
  }

  /// None without an LED, and for a camera that has a flash.
  func controls(of deviceID: String, beside own: [Control]) -> [Control] {
    if own.contains(where: { $0.known == .flashMode }) { return [] }
    return state.withLock { state in find(&state).map { controls(of: deviceID, $0, &state) } ?? [] }
  }

  /// Whether the camera has the LED and all of these controls are the LED's.
  func isLent(to deviceID: String, for settings: [ControlSetting]) -> Bool {
    state.withLock { $0.loan?.deviceID == deviceID } && settings.allSatisfy { Self.names.contains($0.control) }
  }

  /// - Parameter own: the camera's; not asked of the one that has the LED.
  /// - Returns: nil when the control is not the LED's.
  func set(_ setting: ControlSetting, of deviceID: String, beside own: [Control]) -> ControlResult? {
    if own.contains(where: { $0.known == .flashMode }) { return nil }
    return state.withLock { state in
      guard let led = find(&state),
        let control = controls(of: deviceID, led, &state).first(where: { $0.id == setting.control })
      else { return nil }
      let outcome = Result { () throws(CaptureError) -> ControlValue? in
        if control.isGrabbed { throw .lent(control: control.id, device: deviceID, to: state.loan?.deviceID ?? "") }
        let value = try control.checked(setting.value ?? .integer(control.defaultValue), on: deviceID)
        guard case .integer(let number) = value else { return nil }
        try set(control.known, number, of: deviceID, led, &state)
        return control.kind == .button ? nil : value
      }
      return ControlResult(control: setting.control, outcome: outcome)
    }
  }

  /// Puts back what the camera lit, if it has the LED.
  func cameraWent(_ deviceID: String) {
    state.withLock { state in
      guard let loan = state.loan, loan.deviceID == deviceID else { return }
      state.loan = nil
      do throws(CaptureError) {
        if loan.isFlash { try loan.led.write(.flashStrobe, 0, deviceID) }
        if let timeout = loan.timeout { try loan.led.write(.flashTimeout, timeout, deviceID) }
        try loan.led.write(.brightness, loan.brightness, deviceID)
      } catch {
        logger.warning("LED not put back", metadata: ["device": "\(deviceID)", "error": "\(error.message)"])
      }
    }
  }

  private func find(_ state: inout State) -> FlashLED? {
    if let loan = state.loan { return loan.led }
    let all = FlashLED.all(sysfs: sysfs)
    let found = all.first(where: \.isWritable)
    if found == nil, let denied = all.first, denied != state.refused {
      state.refused = denied
      logger.notice(
        "an LED could be a flash, but may not be lit: its files are not writable for this user or in this unit",
        metadata: ["led": "\(denied.folder)"])
    }
    return found
  }

  private func controls(of deviceID: String, _ led: FlashLED, _ state: inout State) -> [Control] {
    let (brightness, brightest) = (led.brightness, led.maxBrightness)
    if brightness > 0 { state.intensity = brightness }
    var mode = Control(
      id: "led_mode", displayName: "LED Mode", v4l2ID: KnownControl.flashMode.rawValue, kind: .menu, maximum: Mode.torch
    )
    mode.menuItems = [
      Control.MenuItem(index: Mode.none, label: "None"), Control.MenuItem(index: Mode.torch, label: "Torch"),
    ]
    mode.value = .integer(
      state.loan?.isFlash == true ? Mode.flash : brightness > 0 ? Mode.torch : Mode.none)
    var controls: [Control] = []
    if brightest > 1 {
      var intensity = Control(
        id: "intensity_torch_mode", displayName: "Intensity, Torch Mode", v4l2ID: KnownControl.torchIntensity.rawValue,
        kind: .integer,
        minimum: 1, maximum: brightest, defaultValue: brightest)
      intensity.value = .integer(state.intensity ?? brightest)
      controls.append(intensity)
    }
    if led.canStrike {
      mode.menuItems.insert(Control.MenuItem(index: Mode.flash, label: "Flash"), at: 1)
      controls += [
        Control(id: "strobe", displayName: "Strobe", v4l2ID: KnownControl.strobe.rawValue, kind: .button),
        Control(id: "stop_strobe", displayName: "Stop Strobe", v4l2ID: KnownControl.strobeStop.rawValue, kind: .button),
      ]
      if let present = led.timeout {
        let longest = led.maxTimeout
        var timeout = Control(
          id: "strobe_timeout", displayName: "Strobe Timeout", v4l2ID: KnownControl.flashTimeout.rawValue,
          kind: .integer, maximum: longest,
          defaultValue: longest)
        timeout.value = .integer(present)
        controls.append(timeout)
      }
    }
    controls.insert(mode, at: 0)
    guard let loan = state.loan, loan.deviceID != deviceID else { return controls }
    for index in controls.indices { controls[index].isGrabbed = true }
    return controls
  }

  private func set(
    _ control: KnownControl?, _ value: Int64, of deviceID: String, _ led: FlashLED, _ state: inout State
  ) throws(CaptureError) {
    var loan =
      state.loan ?? Loan(led: led, deviceID: deviceID, brightness: led.brightness, timeout: led.timeout)
    // Also when it fails: half of it may have been done.
    defer {
      let brightness = led.brightness
      let isLit = brightness != 0 && brightness != loan.brightness
      state.loan = loan.isFlash || isLit ? loan : nil
    }
    switch control {
    case .flashMode:
      try led.write(.brightness, value == Mode.torch ? state.intensity ?? led.maxBrightness : 0, deviceID)
      loan.isFlash = value == Mode.flash
    case .torchIntensity:
      if led.brightness > 0 { try led.write(.brightness, value, deviceID) }
      state.intensity = value
    case .strobe: try led.write(.flashStrobe, 1, deviceID)
    case .strobeStop: try led.write(.flashStrobe, 0, deviceID)
    default: try led.write(.flashTimeout, value, deviceID)
    }
  }
}

extension CaptureError {
  fileprivate static func lent(control: String, device: String, to other: String) -> CaptureError {
    CaptureError(
      .controlGrabbed, "The LED of \(control) lights for \(other) now; switch it off there, or wait for its photo.",
      metadata: ["device": device, "control": control, "lent_to": other])
  }
}
