internal import CaptureCore

/// Makes errors for configurations that cost too much; each error names modes that would fit instead.
enum CostRefusal {
  /// The largest number of modes that an error names.
  static let alternatives = 6

  /// Returns why a configuration cannot start; nil when nothing makes it impossible.
  static func refusal(_ resolved: ResolvedConfiguration, _ demand: CostDemand?, model: CostModel) -> CaptureError? {
    guard let demand, let part = model.cost(of: demand).impossible else { return nil }
    // Of the cameras that share the resource, the error advises on the one that takes most of it.
    let sharing = demand.cameras.filter { part.concerns($0) }
    let camera = sharing.max { $0.pixelsPerSecond < $1.pixelsPerSecond } ?? demand.cameras.first
    guard let camera, let place = resolved.inputs.firstIndex(where: { $0.deviceID == camera.device.id }) else {
      return nil
    }
    let input = resolved.inputs[place]
    let fits = fitting(resolved, at: place, demand.devices, model) { $0.impossible == nil }
    let wanted =
      sharing.count > 1
      ? "The configuration"
      : "\(input.request.pixelFormat) \(input.request.size) at \(input.frameRate.shortText) frames per second"
    let cost = text(part.cost)
    let advice =
      fits.isEmpty
      ? "take fewer cameras or smaller formats" : "choose one of \(list(fits)) for \(input.sourceID)"
    var metadata = [
      "device": input.sourceID, "resource": part.resource.rawValue, "cost": cost, "demand": text(part.demand),
      "capacity": text(part.capacity), "fits": list(fits),
    ]
    if part.resource == .usbBandwidth, let usb = camera.usb {
      metadata["bus"] = "\(usb.link.bus)"
      metadata["sharing"] = sharing.map(\.device.id).joined(separator: ", ")
    }
    return CaptureError(
      .hardwareCostExceeded,
      sharing.count > 1 || fits.isEmpty
        ? "\(wanted) costs \(cost) times what the \(part.description) has; \(advice), or ask SuggestLowerCost."
        : "\(wanted) costs \(cost) times what the \(part.description) has; choose one of \(list(fits)), or ask "
          + "SuggestLowerCost.",
      metadata: metadata, field: "configuration.inputs[\(place)]")
  }

  /// Adds facts to a driver's refusal for lack of bandwidth: which bus is full, which cameras use it too, and which
  /// modes should fit by the model. Returns other errors unchanged.
  static func explained(
    _ error: CaptureError, _ resolved: ResolvedConfiguration, devices: [Device], sharing: [String] = [],
    model: CostModel
  ) -> CaptureError {
    guard error.reason == .bandwidthExceeded,
      let usb = CostDemand(resolved, devices: devices)?.cameras.first?.usb
    else { return error }
    var error = error
    error.metadata["bus"] = "\(usb.link.bus)"
    error.message += " It is USB bus \(usb.link.bus)"
    if !sharing.isEmpty {
      error.metadata["sharing"] = sharing.joined(separator: ", ")
      error.message += ", which \(sharing.joined(separator: ", ")) \(sharing.count == 1 ? "uses" : "use") too"
    }
    // The driver refused although the model may have seen room, so name only modes that take less of the bus than the
    // refused one.
    let fits = fitting(resolved, at: 0, devices, model) { cost in
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
    _ resolved: ResolvedConfiguration, at place: Int, _ devices: [Device], _ model: CostModel,
    _ isFit: (ConfigurationCost) -> Bool
  ) -> [DeviceMode] {
    guard resolved.inputs.indices.contains(place) else { return [] }
    let input = resolved.inputs[place]
    guard let device = devices.first(where: { $0.id == input.deviceID }) else { return [] }
    var best: [DeviceMode] = []
    for mode in DeviceMode.all(of: device) {
      let known = best.firstIndex { $0.format.pixelFormat == mode.format.pixelFormat && $0.size == mode.size }
      if let known, best[known].rate >= mode.rate { continue }
      var changed = resolved
      changed.inputs[place].request = mode.request
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

extension ConfigurationCost.Component {
  /// Whether a camera takes something of the resource.
  fileprivate func concerns(_ camera: CostDemand.Camera) -> Bool {
    switch resource {
    case .sensorReadout, .usbBandwidth: concerned.contains(camera.device.id)
    case .memoryBandwidth, .conversion, .encoding: true
    }
  }
}
