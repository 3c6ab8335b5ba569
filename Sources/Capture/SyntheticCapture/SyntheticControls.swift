internal import CaptureCore
internal import SystemClocks

/// The controls of synthetic cameras. Each control has an effect on the pixels, except the sensor's temperature: a
/// client who wants a hot camera sets this temperature, because a synthetic camera has no hardware to measure. The
/// renderer draws the timecode board after the controls have acted, so that no control changes the board.
enum SyntheticControls {
  /// All controls with their present values.
  ///
  /// - Parameter standard: the settings of a camera that no client has changed.
  static func list(_ settings: SensorSettings, standard: SensorSettings) -> [Control] {
    [
      number("Brightness", .brightness, \.brightness, -100...100, settings, standard),
      number("Contrast", .contrast, \.contrast, 0...200, settings, standard),
      number("Gain", .gain, \.gain, 100...800, settings, standard, isExposure: true),
      menu(
        "Auto Exposure", .automaticExposure, ["Auto Mode", "Manual Mode"], settings.isExposureAutomatic ? 0 : 1,
        standard.isExposureAutomatic ? 0 : 1),
      number(
        "Exposure Time, Absolute", .exposure, \.exposureTime, 1...SensorSettings.longestExposureTime, settings,
        standard, isExposure: true),
      bias(settings, standard),
      menu(
        "LED Mode", .flashMode, ["None", "Flash", "Torch"], settings.flashMode.rawValue, standard.flashMode.rawValue),
      Control(id: "strobe", displayName: "Strobe", v4l2ID: KnownControl.strobe.rawValue, kind: .button),
      Control(id: "stop_strobe", displayName: "Stop Strobe", v4l2ID: KnownControl.strobeStop.rawValue, kind: .button),
      number(
        "Strobe Timeout", .flashTimeout, \.strobeTimeout, 1000...SensorSettings.longestStrobe, step: 1000, settings,
        standard),
      menu(
        "Test Pattern", .testPattern, scenes.map(\.rawValue), index(of: settings.scene), index(of: standard.scene)),
      temperature(settings, standard),
      Control(id: "reset_controls", displayName: "Reset Controls", kind: .button),
    ]
  }

  /// Sets one control.
  ///
  /// - Parameters:
  ///   - standard: the settings of a camera that no client has changed; `reset_controls` goes back to them.
  ///   - now: the present time, at which a strobe begins.
  /// - Returns: the value that the control has afterwards, nil for a button, or the error.
  static func set(
    _ setting: ControlSetting, in settings: inout SensorSettings, standard: SensorSettings, deviceID: String,
    now: MonotonicInstant = .now()
  ) -> ControlResult {
    let outcome = Result { () throws(CaptureError) -> ControlValue? in
      guard let control = list(settings, standard: standard).first(where: { $0.id == setting.control }) else {
        throw .notFound(control: setting.control, device: deviceID)
      }
      try control.checkSettable(on: deviceID)
      let value = try control.checked(setting.value ?? .integer(control.defaultValue), on: deviceID)
      guard case .integer(let asked) = value else { return nil }
      let number = control.nearestStep(to: asked)
      switch control.known {
      case .brightness: settings.brightness = number
      case .contrast: settings.contrast = number
      case .gain: settings.gain = number
      case .automaticExposure: settings.isExposureAutomatic = number == 0
      case .exposure: settings.exposureTime = number
      case .exposureBias: settings.exposureBias = biases[Int(number)]
      case .flashMode: settings.flashMode = SensorSettings.FlashMode(rawValue: number) ?? .off
      case .strobe:
        guard settings.flashMode == .flash else {
          throw CaptureError(
            .controlInactive, "strobe has no effect unless led_mode is Flash; set that first.",
            metadata: ["device": deviceID, "control": "strobe"])
        }
        settings.strobedUntil = now + UInt64(settings.strobeTimeout) * 1000
      case .strobeStop: settings.strobedUntil = nil
      case .flashTimeout: settings.strobeTimeout = number
      case .testPattern: settings.scene = scenes[Int(number)]
      case nil where control.id == temperatureID: settings.temperature = number
      default: settings = standard
      }
      return control.kind == .button ? nil : .integer(number)
    }
    return ControlResult(control: setting.control, outcome: outcome)
  }

  private static let temperatureID = "sensor_temperature"
  private static let scenes = SyntheticCameraConfiguration.Scene.allCases

  private static func index(of scene: SyntheticCameraConfiguration.Scene) -> Int64 {
    Int64(scenes.firstIndex(of: scene) ?? 0)
  }

  private static func number(
    _ name: String, _ known: KnownControl?, _ path: KeyPath<SensorSettings, Int64>, _ range: ClosedRange<Int64>,
    step: UInt64 = 1, _ settings: SensorSettings, _ standard: SensorSettings, isExposure: Bool = false
  ) -> Control {
    var control = Control(
      id: Control.id(ofName: name), displayName: name, v4l2ID: known?.rawValue ?? 0, kind: .integer,
      minimum: range.lowerBound,
      maximum: range.upperBound, step: step, defaultValue: standard[keyPath: path])
    control.value = .integer(settings[keyPath: path])
    control.flags.isInactive = isExposure && settings.isExposureAutomatic
    return control
  }

  /// The offered exposure biases in thousandths of an EV: in steps of a third, as cameras offer them.
  private static let biases: [Int64] = [-2000, -1667, -1333, -1000, -667, -333, 0, 333, 667, 1000, 1333, 1667, 2000]

  private static func bias(_ settings: SensorSettings, _ standard: SensorSettings) -> Control {
    func index(_ settings: SensorSettings) -> Int64 { Int64(biases.firstIndex(of: settings.exposureBias) ?? 6) }
    var control = Control(
      id: "auto_exposure_bias", displayName: "Auto Exposure, Bias", v4l2ID: KnownControl.exposureBias.rawValue,
      kind: .integerMenu,
      maximum: Int64(biases.count - 1), defaultValue: index(standard))
    control.menuItems = biases.enumerated().map { Control.MenuItem(index: Int64($0.offset), value: $0.element) }
    control.value = .integer(index(settings))
    control.flags.isInactive = !settings.isExposureAutomatic
    return control
  }

  private static func temperature(_ settings: SensorSettings, _ standard: SensorSettings) -> Control {
    // V4L2 has no control number for a sensor's temperature; drivers that tell the temperature have controls of their
    // own.
    var control = number("Sensor Temperature", nil, \.temperature, -40...125, settings, standard)
    // A volatile control is not mistaken for a colour temperature, because a colour temperature is a setting.
    control.flags.isVolatile = true
    return control
  }

  private static func menu(
    _ name: String, _ known: KnownControl, _ labels: [String], _ index: Int64, _ standard: Int64
  ) -> Control {
    var control = Control(
      id: Control.id(ofName: name), displayName: name, v4l2ID: known.rawValue, kind: .menu,
      maximum: Int64(labels.count - 1),
      defaultValue: standard)
    control.menuItems = labels.enumerated().map { Control.MenuItem(index: Int64($0.offset), label: $0.element) }
    control.value = .integer(index)
    return control
  }
}

extension Control {
  /// The value of the control's grid that is nearest to `value`, within the range. Drivers round in the same way.
  fileprivate func nearestStep(to value: Int64) -> Int64 {
    guard kind == .integer, range.step > 1 else { return value }
    let (minimum, step) = (range.minimum, Int64(range.step))
    return min(range.maximum, minimum + (value - minimum + step / 2) / step * step)
  }
}
