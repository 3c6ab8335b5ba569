internal import CaptureCore

/// Finds changes that bring the cost of a configuration to at most 1. Depends on its properties and arguments alone.
///
/// Each step is the first of the following changes that makes the configuration cheaper. The order puts first what
/// people miss least:
///
/// 1. the next lower rate, down to 30 frames per second;
/// 2. where USB bandwidth is short, the camera's own compression in place of raw pictures of the same size;
/// 3. the next lower rate, down to 15 frames per second;
/// 4. the same picture from groups of pixels (binned), in the same pixel format;
/// 5. the next smaller size, in the same pixel format;
/// 6. of all modes of the camera that cost at most 1, the one with the most pixels per second.
///
/// The reducer never removes an output, because a program may be waiting for its frames.
struct CostReducer {
  let devices: [Device]
  var microphones: [Microphone] = []
  let model: CostModel
  /// The input that the session has now; nil when it is not known. A configuration that makes the same request is
  /// priced at the rate that the driver confirmed for this input.
  var present: ResolvedConfiguration.Input?

  fileprivate struct Priced {
    var asked: SessionConfiguration
    var input: ResolvedConfiguration.Input
    var demand: CostDemand
    var cost: ConfigurationCost
  }

  /// - Parameter asked: a configuration without issues.
  /// - Returns: the changes, each on top of those before it; empty when the configuration costs at most 1 already.
  /// - Throws: `noLowerCost` when no mode of the camera costs at most 1.
  func reductions(of asked: SessionConfiguration) throws(CaptureError) -> [CostReduction] {
    guard var present = price(asked) else { return [] }
    var steps: [CostReduction] = []
    // The loop ends because each step is cheaper than the one before, and a camera has a limited number of modes.
    while present.cost.hardware > 1 {
      guard let (field, next) = step(from: present) else {
        throw CaptureError(
          .noLowerCost, "No format of \(present.input.deviceID) costs at most 1; choose another camera or stop others.",
          metadata: ["device": present.input.deviceID, "cost": "\(present.cost.hardware)"])
      }
      steps.append(
        CostReduction(
          field: "configuration.inputs[0].\(field)", description: "\(present.mode) to \(next.mode)",
          configuration: next.asked, cost: next.cost))
      present = next
    }
    return steps
  }

  private func step(from present: Priced) -> (field: String, next: Priced)? {
    for change in [rate(30), compressed, rate(15), binned, smaller] {
      for (field, asked) in change(present) {
        if let next = price(asked), next.cost.hardware < present.cost.hardware { return (field, next) }
      }
    }
    let modes = DeviceMode.all(of: present.demand.device).sorted { $0.pixelsPerSecond > $1.pixelsPerSecond }
    return modes.lazy.compactMap { mode in
      price(present.asked.with(mode.format.pixelFormat, mode.size, rate: mode.rate))
    }.first { $0.cost.hardware <= 1 }.map { ("format", $0) }
  }

  // MARK: - The changes, best first

  private typealias Change = (Priced) -> [(field: String, SessionConfiguration)]

  private func rate(_ lowest: UInt32) -> Change {
    { present in
      let lower = DeviceMode.rates(of: present.format).filter {
        $0 < present.input.frameRate && $0 >= Rational(lowest, 1)
      }
      return lower.prefix(1).map { ("frame_rate_override", present.asked.with(rate: $0)) }
    }
  }

  private func compressed(_ present: Priced) -> [(field: String, SessionConfiguration)] {
    let isShort = present.cost.components.contains { $0.resource == .usbBandwidth && $0.cost > 1 }
    guard isShort, !present.format.pixelFormat.isCompressed else { return [] }
    let size = present.input.request.size
    return present.demand.device.formats.filter { $0.pixelFormat.isCompressed && $0.supports(size) }
      .map { ("format", take($0.pixelFormat, size, from: present)) }
  }

  private func binned(_ present: Priced) -> [(field: String, SessionConfiguration)] {
    guard present.format.isBinned != true else { return [] }
    let size = present.input.request.size
    return smallerSizes(present) { $0.isBinned == true }
      .filter { $0.width * size.height == size.width * $0.height }
      .map { ("format", take(present.input.request.pixelFormat, $0, from: present)) }
  }

  private func smaller(_ present: Priced) -> [(field: String, SessionConfiguration)] {
    smallerSizes(present) { $0.isBinned == present.format.isBinned }
      .map { ("format", take(present.input.request.pixelFormat, $0, from: present)) }
  }

  /// Returns the configuration with another format. If the client asked for a rate, the result asks for the nearest
  /// rate that the other format has.
  private func take(_ pixelFormat: PixelFormat, _ size: Size, from present: Priced) -> SessionConfiguration {
    let format = present.demand.device.formats.first { $0.pixelFormat == pixelFormat && $0.supports(size) }
    let rate = present.asked.inputs[0].frameRate.map { wanted in
      format?.frameDurations.nearest(toRate: wanted)?.reciprocal ?? wanted
    }
    return present.asked.with(pixelFormat, size, rate: rate)
  }

  /// Returns the sizes that are smaller than the present one, largest first, from formats of the present pixel format
  /// that `isMeant` accepts.
  private func smallerSizes(_ present: Priced, _ isMeant: (DeviceFormat) -> Bool) -> [Size] {
    let request = present.input.request
    return present.demand.device.formats.filter { $0.pixelFormat == request.pixelFormat && isMeant($0) }
      .flatMap(DeviceMode.sizes)
      .filter { $0.pixelCount < request.size.pixelCount }
      .sorted { $0.pixelCount > $1.pixelCount }
  }

  /// Prices a configuration; returns nil when the resolver finds an issue with it.
  private func price(_ asked: SessionConfiguration) -> Priced? {
    var (resolved, issues) = ConfigurationResolver.resolve(
      asked, devices: devices, microphones: microphones)
    if let present, resolved.input?.deviceID == present.deviceID, resolved.input?.request == present.request {
      resolved.input?.confirmedRate = present.confirmedRate
    }
    guard issues.isEmpty, let input = resolved.input, let demand = CostDemand(resolved, devices: devices) else {
      return nil
    }
    return Priced(asked: asked, input: input, demand: demand, cost: model.cost(of: demand))
  }
}

extension CostReducer.Priced {
  fileprivate var format: DeviceFormat { demand.format }

  /// The mode that the camera is set to: at the confirmed rate where that is known.
  fileprivate var mode: DeviceMode { DeviceMode(format: format, size: input.request.size, rate: demand.rate) }
}

extension SessionConfiguration {
  fileprivate func with(rate: Rational) -> Self {
    var changed = self
    changed.inputs[0].frameRate = rate
    return changed
  }

  fileprivate func with(_ pixelFormat: PixelFormat, _ size: Size, rate: Rational?) -> Self {
    var changed = self
    changed.inputs[0].format = Format(pixelFormat: pixelFormat, size: size)
    changed.inputs[0].frameRate = rate
    changed.preset = nil
    return changed
  }
}
