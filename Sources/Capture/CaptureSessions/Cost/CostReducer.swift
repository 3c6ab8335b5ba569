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
/// With several cameras, each kind of change is tried on the last camera first, because people put the main camera
/// first. The sixth change then takes, of all modes that are cheaper, the one with the most pixels per second.
///
/// The reducer never removes an output, because a program may be waiting for its frames.
struct CostReducer {
  let devices: [Device]
  var microphones: [Microphone] = []
  let model: CostModel
  /// The inputs that the session has now. A configuration that makes the same request to a camera is priced at the rate
  /// that the driver confirmed for it.
  var present: [ResolvedConfiguration.Input] = []

  fileprivate struct Priced {
    var asked: SessionConfiguration
    var inputs: [ResolvedConfiguration.Input]
    var demand: CostDemand
    var cost: ConfigurationCost
    /// The place of the camera that a change is about.
    var place = 0
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
          .noLowerCost, "No format of \(present.names) costs at most 1; choose another camera or stop others.",
          metadata: ["device": present.names, "cost": "\(present.cost.hardware)"])
      }
      steps.append(
        CostReduction(
          field: "configuration.inputs[\(next.place)].\(field)",
          description: "\(present.at(next.place).mode) to \(next.mode)", configuration: next.asked, cost: next.cost))
      present = next
    }
    return steps
  }

  private func step(from present: Priced) -> (field: String, next: Priced)? {
    let places = present.inputs.indices.reversed().filter { present.camera(at: $0) != nil }
    for change in [rate(30), compressed, rate(15), binned, smaller] {
      for place in places {
        for (field, asked) in change(present.at(place)) {
          if let next = price(asked, at: place), next.isCheaper(than: present) { return (field, next) }
        }
      }
    }
    for place in places {
      let camera = present.at(place)
      let modes = DeviceMode.all(of: camera.camera.device).sorted { $0.pixelsPerSecond > $1.pixelsPerSecond }
      let next = modes.lazy.compactMap { mode in
        price(present.asked.with(mode.format.pixelFormat, mode.size, rate: mode.rate, at: place), at: place)
      }.first { places.count == 1 ? $0.cost.hardware <= 1 : $0.isCheaper(than: present) }
      if let next { return ("format", next) }
    }
    return nil
  }

  // MARK: - The changes, best first

  private typealias Change = (Priced) -> [(field: String, SessionConfiguration)]

  private func rate(_ lowest: UInt32) -> Change {
    { present in
      let lower = DeviceMode.rates(of: present.format).filter {
        $0 < present.input.frameRate && $0 >= Rational(lowest, 1)
      }
      return lower.prefix(1).map { ("frame_rate_override", present.asked.with(rate: $0, at: present.place)) }
    }
  }

  private func compressed(_ present: Priced) -> [(field: String, SessionConfiguration)] {
    let isShort = present.cost.components.contains { $0.resource == .usbBandwidth && $0.cost > 1 }
    guard isShort, !present.format.pixelFormat.isCompressed else { return [] }
    let size = present.input.request.size
    return present.camera.device.formats.filter { $0.pixelFormat.isCompressed && $0.supports(size) }
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
    let format = present.camera.device.formats.first { $0.pixelFormat == pixelFormat && $0.supports(size) }
    let rate = present.asked.inputs[present.place].frameRate.map { wanted in
      format?.frameDurations.nearest(toRate: wanted)?.reciprocal ?? wanted
    }
    return present.asked.with(pixelFormat, size, rate: rate, at: present.place)
  }

  /// Returns the sizes that are smaller than the present one, largest first, from formats of the present pixel format
  /// that `isMeant` accepts.
  private func smallerSizes(_ present: Priced, _ isMeant: (DeviceFormat) -> Bool) -> [Size] {
    let request = present.input.request
    return present.camera.device.formats.filter { $0.pixelFormat == request.pixelFormat && isMeant($0) }
      .flatMap(DeviceMode.sizes)
      .filter { $0.pixelCount < request.size.pixelCount }
      .sorted { $0.pixelCount > $1.pixelCount }
  }

  /// Prices a configuration; returns nil when the resolver finds an issue with it.
  private func price(_ asked: SessionConfiguration, at place: Int = 0) -> Priced? {
    var (resolved, issues) = ConfigurationResolver.resolve(
      asked, devices: devices, microphones: microphones)
    for (index, input) in resolved.inputs.enumerated() {
      let known = present.first { $0.sourceID == input.sourceID && $0.request == input.request }
      if let known { resolved.inputs[index].confirmedRate = known.confirmedRate }
    }
    guard issues.isEmpty, let demand = CostDemand(resolved, devices: devices), !demand.cameras.isEmpty else {
      return nil
    }
    return Priced(
      asked: asked, inputs: resolved.inputs, demand: demand, cost: model.cost(of: demand), place: place)
  }
}

extension CostReducer.Priced {
  fileprivate func at(_ place: Int) -> Self {
    var changed = self
    changed.place = place
    return changed
  }

  /// The demand of the camera at a place among the inputs; nil when it does not run.
  fileprivate func camera(at place: Int) -> CostDemand.Camera? {
    demand.cameras.first { $0.device.id == inputs[place].deviceID }
  }

  /// The camera that the change is about, which runs.
  fileprivate var camera: CostDemand.Camera { camera(at: place) ?? demand.cameras[0] }

  fileprivate var input: ResolvedConfiguration.Input { inputs[place] }

  fileprivate var format: DeviceFormat { camera.format }

  fileprivate var names: String { demand.cameras.map(\.device.id).joined(separator: ", ") }

  /// The mode that the camera is set to: at the confirmed rate where that is known.
  fileprivate var mode: DeviceMode { DeviceMode(format: format, size: input.request.size, rate: camera.rate) }

  /// Whether the costliest part costs less, or as much while those above 1 cost less together: two cameras that each
  /// cost too much become cheaper one after the other.
  fileprivate func isCheaper(than other: Self) -> Bool {
    if cost.hardware != other.cost.hardware { return cost.hardware < other.cost.hardware }
    return inputs.count > 1 && excess < other.excess
  }

  private var excess: Double { cost.components.reduce(0) { $0 + max(0, $1.cost - 1) } }
}

extension SessionConfiguration {
  fileprivate func with(rate: Rational, at place: Int) -> Self {
    var changed = self
    changed.inputs[place].frameRate = rate
    return changed
  }

  fileprivate func with(_ pixelFormat: PixelFormat, _ size: Size, rate: Rational?, at place: Int) -> Self {
    var changed = self
    changed.inputs[place].format = Format(pixelFormat: pixelFormat, size: size)
    changed.inputs[place].frameRate = rate
    changed.preset = nil
    return changed
  }
}

/// One change that makes a configuration cheaper, and the configuration after the change.
public struct CostReduction: Hashable, Sendable {
  /// The path of the configuration field that changes, such as `configuration.inputs[0].format`.
  public var field: String
  /// The camera's mode before and after the change, for people.
  public var description: String
  /// The whole configuration with this change and all changes before it.
  public var configuration: SessionConfiguration
  /// The cost of ``configuration``.
  public var cost: ConfigurationCost
}
