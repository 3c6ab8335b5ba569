internal import CaptureCore

/// Makes errors for configurations that cost too much; each error names modes that would fit instead.
enum CostRefusal {
  /// The largest number of modes that an error names.
  static let alternatives = 6

  /// Returns why a configuration cannot start; nil when nothing makes it impossible.
  static func refusal(_ resolved: ResolvedConfiguration, _ demand: CostDemand?, model: CostModel) -> CaptureError? {
    guard let demand, let input = resolved.input, let part = model.cost(of: demand).impossible else { return nil }
    let fits = fitting(resolved, [demand.device], model) { $0.impossible == nil }
    let wanted =
      "\(input.request.pixelFormat) \(input.request.size) at \(input.frameRate.shortText) frames per second"
    let cost = text(part.cost)
    return CaptureError(
      .hardwareCostExceeded,
      "\(wanted) costs \(cost) times what the \(part.description) has; choose one of \(list(fits)), or ask "
        + "SuggestLowerCost.",
      metadata: [
        "device": input.deviceID, "resource": part.resource.rawValue, "cost": cost, "demand": text(part.demand),
        "capacity": text(part.capacity), "fits": list(fits),
      ], field: "configuration.inputs[0]")
  }

  /// Adds two facts to a driver's refusal for lack of bandwidth: which bus is full, and which modes should fit by the
  /// model. Returns other errors unchanged.
  static func explained(
    _ error: CaptureError, _ resolved: ResolvedConfiguration, devices: [Device], model: CostModel
  ) -> CaptureError {
    guard error.reason == .bandwidthExceeded, let usb = CostDemand(resolved, devices: devices)?.usb else {
      return error
    }
    var error = error
    error.metadata["bus"] = "\(usb.link.bus)"
    error.message += " It is USB bus \(usb.link.bus)"
    // The driver refused although the model may have seen room, so name only modes that take less of the bus than the
    // refused one.
    let fits = fitting(resolved, devices, model) { cost in
      let bandwidth = cost.components.filter { $0.resource == .usbBandwidth }
      return bandwidth.allSatisfy { $0.cost <= 1 } && (bandwidth.first?.demand ?? 0) < usb.taken
    }
    guard !fits.isEmpty else {
      error.message += ", and no format of the camera fits beside the other cameras on it."
      return error
    }
    error.metadata["fits"] = list(fits)
    error.message += "; there should be room for \(list(fits))."
    return error
  }

  /// Returns the modes whose cost `isFit` accepts, at most ``alternatives``. Each format and size appears once, with
  /// the fastest rate that is accepted. Modes of the present pixel format come first, then larger ones before smaller
  /// ones.
  private static func fitting(
    _ resolved: ResolvedConfiguration, _ devices: [Device], _ model: CostModel,
    _ isFit: (ConfigurationCost) -> Bool
  ) -> [DeviceMode] {
    guard let input = resolved.input, let device = devices.first(where: { $0.id == input.deviceID }) else { return [] }
    var best: [DeviceMode] = []
    for mode in DeviceMode.all(of: device) {
      let known = best.firstIndex { $0.format.pixelFormat == mode.format.pixelFormat && $0.size == mode.size }
      if let known, best[known].rate >= mode.rate { continue }
      var changed = resolved
      changed.input?.request = mode.request
      guard isFit(model.cost(of: CostDemand(changed, devices: devices))) else { continue }
      if let known { best[known] = mode } else { best.append(mode) }
    }
    func rank(_ mode: DeviceMode) -> (Int, Double) {
      (mode.format.pixelFormat == input.request.pixelFormat ? 1 : 0, Double(mode.size.pixelCount))
    }
    return Array(best.sorted { rank($0) > rank($1) }.prefix(alternatives))
  }

  private static func list(_ modes: [DeviceMode]) -> String { modes.map(\.description).joined(separator: ", ") }

  /// Formats a number with at most three decimals and without an exponent.
  private static func text(_ value: Double) -> String {
    let thousandths = Int((min(value, 1e15) * 1000).rounded())
    let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
    return rest == 0 ? "\(whole)" : "\(whole)." + "\(1000 + rest)".dropFirst()
  }
}
