import Glibc

/// Plans which of a camera's controls to set for a shot, and how to set them back. The plan is a value and sets nothing
/// itself.
///
/// The plan finds the controls by V4L2's numbers, which synthetic cameras use too. The plan sets exposure before gain.
/// The plan switches automatic controls off before it sets the controls that they govern, and restores automatic
/// controls last, because drivers refuse to set a control that an automatic control governs.
public struct ShotPlan: Sendable {
  /// The controls to set for one step, and the result of setting them.
  public struct Settings: Hashable, Sendable {
    /// The controls to set for the step, in the order in which they must be set.
    public var controls: [ControlSetting] = []
    /// The controls that earlier steps set and this step does not set, each with its former value. The shot must set
    /// them before ``controls``.
    public var undone: [ControlSetting] = []
    /// The exposure time, gain and bias that result from ``controls``; nil where the step leaves them unchanged.
    public var readings = SensorReadings()
    /// How long the flash stays lit before it goes out by itself, in nanoseconds; nil for a light that stays on until
    /// it is switched off.
    public var flashNanoseconds: UInt64?
    /// Whether the flash lights this step.
    public var flash = false
    /// Whether the camera needs several frames to find its exposure, as ``ShotConditions/settles`` says.
    public var settles = false
  }

  private static let ofExposure: [KnownControl] = [.gain, .automaticGain, .automaticExposure, .exposure, .exposureBias]
  private static let ofFlash: [KnownControl] = [.flashMode, .strobe, .strobeStop, .flashTimeout, .torchIntensity]
  /// The items of V4L2's menus: manual exposure; then flash off, flash and torch.
  private enum Choice { static let manual: Int64 = 1, off: Int64 = 0, flash: Int64 = 1, torch: Int64 = 2 }

  /// Nanoseconds in one unit of V4L2's absolute exposure, which is 100 µs. V4L2 counts exposure bias in thousandths of
  /// an EV, and the time-out of a flash in µs.
  private static let exposureUnit: UInt64 = 100_000
  /// The biases, in EV, that the plan offers when it has to make a bias from manual values. The exposure range of most
  /// cameras ends beyond them.
  private static let manualBiases = -2.0...2.0

  private let controls: [KnownControl: Control]
  private let deviceID: String

  /// Creates a plan for one camera.
  ///
  /// - Parameters:
  ///   - controls: the camera's controls with their present values. The plan ignores those that are read-only or
  ///     unknown to the daemon.
  ///   - deviceID: the camera's id, which errors name.
  public init(_ controls: [Control], deviceID: String) {
    self.controls = Dictionary(
      controls.filter { !$0.flags.isReadOnly }.compactMap { control in control.known.map { ($0, control) } },
      uniquingKeysWith: { first, _ in first })
    self.deviceID = deviceID
  }

  /// The settings that captures can ask for. Of these, only one depends on the present values of the controls: a bias
  /// can be made from manual values only when the camera tells which exposure and gain it uses now.
  public var capabilities: ShotCapabilities {
    var found = ShotCapabilities()
    if canExpose, let exposure = controls[.exposure], exposure.range.maximum >= max(exposure.range.minimum, 1) {
      found.exposures =
        UInt64(max(exposure.range.minimum, 1)) * Self.exposureUnit...UInt64(exposure.range.maximum) * Self.exposureUnit
    }
    if let gain = controls[.gain], gain.range.minimum <= gain.range.maximum {
      found.gains = gain.range.minimum...gain.range.maximum
    }
    if let values = biasValues, let least = values.min(), let most = values.max(), least < most {
      found.biases = Double(least) / 1000...Double(most) / 1000
    } else if found.exposures != nil, present != nil {
      found.biases = Self.manualBiases
    }
    found.hasFlash = flashChoice != nil
    return found
  }

  /// The controls to set for `step`.
  ///
  /// - Parameter touched: the controls that earlier steps set, in the order in which they were set. The step inherits
  ///   none of these settings.
  /// - Throws: `notSupportedInConfiguration` for a setting that the camera does not have, and for a bias when the
  ///   camera does not tell its present exposure; `unsupportedValue` for a bias that the camera's exposure range does
  ///   not reach; `controlInactive` for a gain that automatic exposure governs; `controlGrabbed` for a flash that
  ///   another camera or process uses.
  public func settings(
    for step: Shot.Step, after touched: [ControlSetting] = []
  ) throws(CaptureError) -> Settings {
    var settings = Settings()
    switch step.exposure {
    case .unchanged: break
    case .manual(let exposure): try expose(exposure, &settings)
    case .bias(let bias): try expose(bias: bias, &settings)
    }
    if step.flash { try flash(&settings) }
    settings.flash = step.flash
    let kept = Set(settings.controls.map(\.control))
    settings.undone = restoring(touched.filter { !kept.contains($0.control) })
    if !settings.undone.isEmpty, staysAutomatic(settings) { settings.settles = true }
    return settings
  }

  /// The ids of the controls that clients may not set during `steps`. Among them are controls that the steps leave
  /// alone, because the controls of an exposure or of a flash govern one another.
  public func taken(by steps: [Shot.Step]) -> Set<String> {
    var known: [KnownControl] = []
    if steps.contains(where: { $0.exposure != .unchanged }) { known += Self.ofExposure }
    if steps.contains(where: \.flash) { known += Self.ofFlash }
    return Set(known.compactMap { controls[$0]?.id })
  }

  /// The settings that bring every touched control back to its former value, in the order in which they must be set.
  ///
  /// - Parameter touched: the controls that were set, in the order in which they were set.
  public func restoring(_ touched: [ControlSetting]) -> [ControlSetting] {
    let byID = Dictionary(controls.values.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var seen: Set<String> = []
    let first = touched.map(\.control).filter { seen.insert($0).inserted }
    var settings: [ControlSetting] = []
    if let strobe = controls[.strobe], seen.contains(strobe.id), let stop = controls[.strobeStop] {
      settings.append(ControlSetting(control: stop.id, value: nil))
    }
    for id in first.reversed() {
      guard let control = byID[id], control.kind != .button, let value = control.value else { continue }
      settings.append(ControlSetting(control: id, value: value))
    }
    return settings
  }

  // MARK: - Exposure

  private var canExpose: Bool {
    guard controls[.exposure] != nil else { return false }
    // A camera without this control has no automatic exposure that would govern the exposure time.
    return controls[.automaticExposure].map { automatic in
      automatic.menuItems.contains { $0.index == Choice.manual }
    } ?? true
  }

  private var isManual: Bool {
    controls[.automaticExposure].map { $0.value == .integer(Choice.manual) } ?? true
  }

  /// Whether automatic exposure goes on with these settings.
  private func staysAutomatic(_ settings: Settings) -> Bool {
    guard let automatic = controls[.automaticExposure], !isManual else { return false }
    return !settings.controls.contains { $0.control == automatic.id }
  }

  private func expose(_ exposure: ManualExposure, _ settings: inout Settings) throws(CaptureError) {
    if let nanoseconds = exposure.nanoseconds {
      guard canExpose, let control = controls[.exposure] else { throw unsupported("an exposure set by hand") }
      if let automatic = controls[.automaticExposure] { settings.set(automatic, Choice.manual) }
      let units = (nanoseconds + Self.exposureUnit / 2) / Self.exposureUnit
      settings.set(control, Int64(clamping: max(1, units)))
      settings.readings.exposureNanoseconds = max(1, units) * Self.exposureUnit
    }
    if let gain = exposure.gain {
      guard let control = controls[.gain] else { throw unsupported("a gain set by hand") }
      // When the client sets no exposure time, the plan leaves automatic exposure on: the time that the camera keeps
      // for manual exposure could be any earlier setting.
      guard exposure.nanoseconds != nil || !control.flags.isInactive || controls[.automaticGain] != nil else {
        throw CaptureError(
          .controlInactive, "Automatic exposure of \(deviceID) governs its gain; set the duration too.",
          metadata: ["device": deviceID, "control": control.id])
      }
      if let automatic = controls[.automaticGain] { settings.set(automatic, 0) }
      settings.set(control, gain)
      settings.readings.gain = gain
      settings.settles = staysAutomatic(settings)
    }
  }

  /// The values that the bias control can take, in thousandths of an EV: all of them for a menu, else the smallest and
  /// the largest. Nil for a camera without this control.
  private var biasValues: [Int64]? {
    guard let control = controls[.exposureBias] else { return nil }
    return control.kind == .integerMenu
      ? control.menuItems.map(\.value) : [control.range.minimum, control.range.maximum]
  }

  private func expose(bias: Double, _ settings: inout Settings) throws(CaptureError) {
    if let control = controls[.exposureBias], !isManual {
      let wanted = bias * 1000
      if control.kind == .integerMenu {
        let nearest = control.menuItems.min { abs(Double($0.value) - wanted) < abs(Double($1.value) - wanted) }
        guard let nearest else { throw unsupported("an exposure bias") }
        settings.set(control, nearest.index)
        settings.readings.exposureBias = Double(nearest.value) / 1000
      } else {
        settings.set(control, Int64(wanted.rounded()))
        settings.readings.exposureBias = wanted.rounded() / 1000
      }
      settings.settles = true
      return
    }
    guard canExpose, let control = controls[.exposure] else { throw unsupported("an exposure bias") }
    guard let present else {
      throw CaptureError(
        .notSupportedInConfiguration,
        "\(deviceID) does not report its present exposure, so an exposure bias has nothing to start from; set the "
          + "exposure itself.", metadata: ["device": deviceID])
    }
    let base = present.exposure
    let units = (Double(base) * exp2(bias)).rounded()
    guard Double(max(control.range.minimum, 1)) <= units, units <= Double(control.range.maximum) else {
      throw CaptureError(
        .unsupportedValue,
        "\(deviceID) exposes for \(base * 100) µs now and cannot change that by \(bias) EV; ask for a smaller "
          + "bias, or set the exposure.",
        metadata: ["device": deviceID, "exposure_bias": "\(bias)", "exposure_us": "\(base * 100)"])
    }
    try expose(ManualExposure(nanoseconds: UInt64(units) * Self.exposureUnit, gain: present.gain), &settings)
    settings.readings.exposureBias = bias
  }

  /// The exposure time that the camera uses now, in units of 100 µs, and its gain. Nil for a camera that does not tell
  /// its exposure time, or that has a gain and does not tell the one it uses. The gain alone is nil for a camera
  /// without a gain that can be read. A bias made from manual values sets the gain too, because automatic exposure may
  /// have chosen the present gain and must not choose another gain during the shot.
  private var present: (exposure: Int64, gain: Int64?)? {
    guard let exposure = controls[.exposure].flatMap(Self.actingValue), exposure > 0 else { return nil }
    guard let control = controls[.gain], control.value != nil else { return (exposure, nil) }
    return Self.actingValue(control).map { (exposure, $0) }
  }

  /// The value that `control` has an effect with; nil when the driver does not tell. An inactive control only keeps the
  /// value that a client set earlier, unless the driver says (by the volatile flag) that the value follows the
  /// hardware.
  private static func actingValue(_ control: Control) -> Int64? {
    guard case .integer(let value)? = control.value, control.flags.isValueInEffect else { return nil }
    return value
  }

  // MARK: - Flash

  /// The flash mode to use: a short flash on command for a camera that can strobe, else the torch. Nil for a camera
  /// that has neither.
  private var flashChoice: Int64? {
    guard let mode = controls[.flashMode] else { return nil }
    let choices = mode.menuItems.map(\.index)
    if choices.contains(Choice.flash), controls[.strobe] != nil { return Choice.flash }
    return choices.contains(Choice.torch) ? Choice.torch : nil
  }

  private func flash(_ settings: inout Settings) throws(CaptureError) {
    guard let mode = controls[.flashMode], let choice = flashChoice else { throw unsupported("a flash") }
    // The present value of the mode may belong to another camera or process that uses the flash, and the plan must not
    // restore that value later.
    if mode.flags.isGrabbed {
      throw CaptureError(
        .controlGrabbed,
        "Another program holds the flash of \(deviceID); switch it off there, or take the photo again when it is free.",
        metadata: ["device": deviceID, "control": mode.id])
    }
    // The mode is set first and restored last, because a camera that shares the light with others holds the light
    // through the mode.
    settings.set(mode, choice)
    guard choice == Choice.flash else {
      if let intensity = controls[.torchIntensity] { settings.set(intensity, intensity.range.maximum) }
      return
    }
    if let timeout = controls[.flashTimeout] {
      settings.set(timeout, timeout.range.maximum)
      settings.flashNanoseconds = UInt64(max(0, timeout.range.maximum)) * 1000
    }
    if let strobe = controls[.strobe] { settings.controls.append(ControlSetting(control: strobe.id, value: nil)) }
  }

  private func unsupported(_ what: String) -> CaptureError {
    CaptureError(
      .notSupportedInConfiguration, "\(deviceID) does not have \(what).", metadata: ["device": deviceID])
  }
}

extension ShotPlan.Settings {
  fileprivate mutating func set(_ control: Control, _ value: Int64) {
    controls.append(ControlSetting(control: control.id, value: .integer(value)))
  }
}
