#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How a camera's controls are set for a shot, and back. A value: it sets nothing.
///
/// By V4L2's numbers, which synthetic cameras have too. Exposure is set before gain, and automatics go first and come back
/// last, because drivers refuse what an automatic governs.
public struct ShotPlan: Sendable {
  /// What is to be set for a step, one after the other.
  public struct Settings: Hashable, Sendable {
    public var controls: [ControlSetting] = []
    /// What steps before set and this one does not, back to what it was; to be set first.
    public var undone: [ControlSetting] = []
    /// What that comes to.
    public var readings = SensorReadings()
    /// How long the flash stays lit by itself, nanoseconds; nil until it is put out.
    public var flashNanoseconds: UInt64?
    public var flash = false
    /// As ``ShotConditions/settles``.
    public var settles = false
  }

  private static let ofExposure: [KnownControl] = [.gain, .automaticGain, .automaticExposure, .exposure, .exposureBias]
  private static let ofFlash: [KnownControl] = [.flashMode, .strobe, .strobeStop, .flashTimeout, .torchIntensity]
  /// Of V4L2's menus.
  private enum Choice { static let manual: Int64 = 1, off: Int64 = 0, flash: Int64 = 1, torch: Int64 = 2 }

  /// V4L2 counts absolute exposure in 100 µs, bias in thousandths of an EV, and a flash's time-out in µs.
  private static let exposureUnit: UInt64 = 100_000
  /// Where a bias is made of manual values: beyond, most cameras end.
  private static let manualBiases = -2.0...2.0

  private let controls: [KnownControl: Control]
  private let deviceID: String

  /// - Parameter controls: the camera's, with their present values.
  public init(_ controls: [Control], deviceID: String) {
    self.controls = Dictionary(
      controls.filter { !$0.isReadOnly }.compactMap { control in control.known.map { ($0, control) } },
      uniquingKeysWith: { first, _ in first })
    self.deviceID = deviceID
  }

  /// What captures can ask for. Only whether a bias can be made of manual values depends on what the controls are set to
  /// now: the camera must tell what it exposes with.
  public var capabilities: ShotCapabilities {
    var found = ShotCapabilities()
    if canExpose, let exposure = controls[.exposure], exposure.maximum >= max(exposure.minimum, 1) {
      found.exposures =
        UInt64(max(exposure.minimum, 1)) * Self.exposureUnit...UInt64(exposure.maximum) * Self.exposureUnit
    }
    if let gain = controls[.gain], gain.minimum <= gain.maximum { found.gains = gain.minimum...gain.maximum }
    if let values = biasValues, let least = values.min(), let most = values.max(), least < most {
      found.biases = Double(least) / 1000...Double(most) / 1000
    } else if found.exposures != nil, present != nil {
      found.biases = Self.manualBiases
    }
    found.hasFlash = flashChoice != nil
    return found
  }

  /// - Parameter touched: what steps before set, in that order; the step inherits none of it.
  /// - Throws: `notSupportedInConfiguration` for what the camera does not have, `unsupportedValue` for a bias that its
  ///   exposure does not reach, `controlInactive` for a gain that automatic exposure governs, `controlGrabbed` for a flash
  ///   that somebody else has.
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

  /// The controls that nobody else may set during these steps: also those that they leave alone, because one governs the
  /// other.
  public func taken(by steps: [Shot.Step]) -> Set<String> {
    var known: [KnownControl] = []
    if steps.contains(where: { $0.exposure != .unchanged }) { known += Self.ofExposure }
    if steps.contains(where: \.flash) { known += Self.ofFlash }
    return Set(known.compactMap { controls[$0]?.id })
  }

  /// How everything that was set gets back to what it was, one after the other.
  ///
  /// - Parameter touched: what was set, in that order.
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
    // Without the control there is no automatic that would govern it.
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
      // Without a time automatic exposure is left alone: the time that is set for manual exposure may be anybody's.
      guard exposure.nanoseconds != nil || !control.isInactive || controls[.automaticGain] != nil else {
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

  /// The values of the bias control, thousandths of an EV.
  private var biasValues: [Int64]? {
    guard let control = controls[.exposureBias] else { return nil }
    return control.kind == .integerMenu ? control.menuItems.map(\.value) : [control.minimum, control.maximum]
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
        "\(deviceID) does not tell what it exposes with, so that nothing can be made brighter or darker than that; set "
          + "the exposure.", metadata: ["device": deviceID])
    }
    let base = present.exposure
    let units = (Double(base) * exp2(bias)).rounded()
    guard Double(max(control.minimum, 1)) <= units, units <= Double(control.maximum) else {
      throw CaptureError(
        .unsupportedValue,
        "\(deviceID) exposes for \(base * 100) µs now, and cannot by \(bias) EV more; ask for less, or set the exposure.",
        metadata: ["device": deviceID, "exposure_bias": "\(bias)", "exposure_us": "\(base * 100)"])
    }
    try expose(ManualExposure(nanoseconds: UInt64(units) * Self.exposureUnit, gain: present.gain), &settings)
    settings.readings.exposureBias = bias
  }

  /// What the camera exposes with now, in its units; nil where it does not tell. The gain too, if it has one: automatic
  /// exposure may have chosen it, and must not choose another meanwhile.
  private var present: (exposure: Int64, gain: Int64?)? {
    guard let exposure = controls[.exposure].flatMap(Self.actingValue), exposure > 0 else { return nil }
    guard let control = controls[.gain], control.value != nil else { return (exposure, nil) }
    return Self.actingValue(control).map { (exposure, $0) }
  }

  /// Nil of an inactive control, which only keeps what somebody set once, unless the driver says that it follows the
  /// hardware.
  private static func actingValue(_ control: Control) -> Int64? {
    guard case .integer(let value)? = control.value, !control.isInactive || control.isVolatile else { return nil }
    return value
  }

  // MARK: - Flash

  /// A short flash by command where there is one, else the torch.
  private var flashChoice: Int64? {
    guard let mode = controls[.flashMode] else { return nil }
    let choices = mode.menuItems.map(\.index)
    if choices.contains(Choice.flash), controls[.strobe] != nil { return Choice.flash }
    return choices.contains(Choice.torch) ? Choice.torch : nil
  }

  private func flash(_ settings: inout Settings) throws(CaptureError) {
    guard let mode = controls[.flashMode], let choice = flashChoice else { throw unsupported("a flash") }
    // Its value may be of whoever has it, and must not be put back.
    if mode.isGrabbed {
      throw CaptureError(
        .controlGrabbed,
        "The flash of \(deviceID) is somebody else's now; switch it off there, or take the photo again when it is free.",
        metadata: ["device": deviceID, "control": mode.id])
    }
    // First, and last on the way back: whoever shares the light has it by its mode.
    settings.set(mode, choice)
    guard choice == Choice.flash else {
      if let intensity = controls[.torchIntensity] { settings.set(intensity, intensity.maximum) }
      return
    }
    if let timeout = controls[.flashTimeout] {
      settings.set(timeout, timeout.maximum)
      settings.flashNanoseconds = UInt64(max(0, timeout.maximum)) * 1000
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
