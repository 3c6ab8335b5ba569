internal import CaptureCore
internal import Locking
internal import Logging

/// The machine's ``FlashLED``, which one camera at a time uses.
///
/// The LED appears among the controls of each camera that has no flash of its own, as V4L2's flash controls. A camera
/// that lights the LED, or sets `led_mode` to Flash, keeps the LED until `led_mode` is not Flash and the LED is dark or
/// as bright as before. Meanwhile, the LED's controls of all other cameras are marked as grabbed.
///
/// Setting the LED does not need the camera's node, so that a client can still switch the LED off after the camera was
/// unplugged. If no client does, the provider restores the LED when it learns that the camera is gone.
///
/// Each call blocks for microseconds.
final class SharedFlashLED: Sendable {
  /// The ids of the LED's controls.
  private static let names: Set = ["led_mode", "strobe", "stop_strobe", "strobe_timeout", "intensity_torch_mode"]
  /// The items of V4L2's menu `V4L2_CID_FLASH_LED_MODE`.
  private enum Mode { static let none: Int64 = 0, flash: Int64 = 1, torch: Int64 = 2 }

  /// The use of the LED by one camera.
  private struct Loan {
    var led: FlashLED
    var deviceID: String
    /// The brightness before the camera used the LED. The LED gets this brightness and `timeout` back when the camera
    /// goes.
    var brightness: Int64
    var timeout: Int64?
    /// Whether the camera has set `led_mode` to Flash. The LED stays dark in this mode until the camera makes the LED
    /// flash.
    var isFlash = false
  }
  private struct State {
    var loan: Loan?
    /// The brightness that the torch gets when a camera lights the torch next; nil means the greatest brightness.
    var intensity: Int64?
    /// The LED that was last logged as not writable. The log gets no second message about the same LED.
    var refused: FlashLED?
  }
  private let state = Locked(State())
  private let sysfs: String
  private let logger: Logger

  /// - Parameters:
  ///   - sysfs: where sysfs is mounted.
  ///   - logger: receives one message when this process may not light the LED, and one when the LED could not be
  ///     restored.
  init(sysfs: String, logger: Logger) {
    self.sysfs = sysfs
    self.logger = logger
  }

  /// The LED's controls as `deviceID` sees them. Empty when the machine has no LED that this process may light, and
  /// when the camera has a flash of its own.
  ///
  /// - Parameter own: the camera's own controls.
  func controls(of deviceID: String, beside own: [Control]) -> [Control] {
    if own.contains(where: { $0.known == .flashMode }) { return [] }
    return state.withLock { state in find(&state).map { controls(of: deviceID, $0, &state) } ?? [] }
  }

  /// Whether the camera uses the LED now and all of `settings` are for the LED's controls.
  func isLent(to deviceID: String, for settings: [ControlSetting]) -> Bool {
    state.withLock { $0.loan?.deviceID == deviceID } && settings.allSatisfy { Self.names.contains($0.control) }
  }

  /// Sets a control of the LED for the camera `deviceID`.
  ///
  /// - Parameter own: the camera's own controls; empty when the camera uses the LED and was therefore not asked.
  /// - Returns: nil when the control does not belong to the LED.
  func set(_ setting: ControlSetting, of deviceID: String, beside own: [Control]) -> ControlResult? {
    if own.contains(where: { $0.known == .flashMode }) { return nil }
    return state.withLock { state in
      guard let led = find(&state),
        let control = controls(of: deviceID, led, &state).first(where: { $0.id == setting.control })
      else { return nil }
      let outcome = Result { () throws(CaptureError) -> ControlValue? in
        if control.flags.isGrabbed {
          throw .lent(control: control.id, device: deviceID, to: state.loan?.deviceID ?? "")
        }
        let value = try control.checked(setting.value ?? .integer(control.defaultValue), on: deviceID)
        guard case .integer(let number) = value else { return nil }
        try set(control.known, number, of: deviceID, led, &state)
        return control.kind == .button ? nil : value
      }
      return ControlResult(control: setting.control, outcome: outcome)
    }
  }

  /// Restores the LED as it was before `deviceID` used it, when that camera uses the LED. The provider calls this
  /// method when the camera is gone.
  func cameraWent(_ deviceID: String) {
    state.withLock { state in
      guard let loan = state.loan, loan.deviceID == deviceID else { return }
      state.loan = nil
      do throws(CaptureError) {
        if loan.isFlash { try loan.led.write(.flashStrobe, 0, deviceID) }
        if let timeout = loan.timeout { try loan.led.write(.flashTimeout, timeout, deviceID) }
        try loan.led.write(.brightness, loan.brightness, deviceID)
      } catch {
        logger.warning(
          "An LED does not go back to its former state.",
          metadata: ["device.id": "\(deviceID)", "error.message": "\(error.message)"])
      }
    }
  }

  /// The LED in use, else the first one that this process may light; nil when there is none.
  private func find(_ state: inout State) -> FlashLED? {
    if let loan = state.loan { return loan.led }
    let all = FlashLED.all(sysfs: sysfs)
    let found = all.first(where: \.isWritable)
    if found == nil, let denied = all.first, denied != state.refused {
      state.refused = denied
      logger.notice(
        "An LED could serve as a flash, but the daemon may not write to its files.",
        metadata: ["led.folder": "\(denied.folder)"])
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
    for index in controls.indices { controls[index].flags.isGrabbed = true }
    return controls
  }

  private func set(
    _ control: KnownControl?, _ value: Int64, of deviceID: String, _ led: FlashLED, _ state: inout State
  ) throws(CaptureError) {
    var loan =
      state.loan ?? Loan(led: led, deviceID: deviceID, brightness: led.brightness, timeout: led.timeout)
    // A setting that fails may have changed the LED already, so the use of the LED is noted in that case too.
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
  /// The error of setting the LED while another camera uses it.
  fileprivate static func lent(control: String, device: String, to other: String) -> CaptureError {
    CaptureError(
      .controlGrabbed,
      "\(other) uses the LED of \(control) now; switch it off there, or wait until its photo is taken.",
      metadata: ["device": device, "control": control, "lent_to": other])
  }
}
