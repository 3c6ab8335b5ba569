internal import CaptureCore

/// Prices what configurations take. Pure.
struct CostModel: Sendable {
  /// Nil: not measured, so that memory and processor are there with what is taken of them alone.
  var machine: MachineCapacity?
  /// Streams of other sessions.
  var others: [USBDemand] = []

  func cost(of demand: CostDemand?) -> ConfigurationCost {
    guard let demand else { return ConfigurationCost() }
    var cost = ConfigurationCost()
    cost.components = sensor(demand) + usb(demand) + work(demand)
    if let machine { cost.systemPressure = pressure(demand, on: machine) }
    return cost
  }

  private func sensor(_ demand: CostDemand) -> [ConfigurationCost.Component] {
    guard let readout = demand.device.limits.sensorReadout else { return [] }
    return [
      .init(
        resource: .sensorReadout, description: "sensor of \(demand.device.id)", demand: demand.pixelsPerSecond,
        capacity: readout, certainty: .exact)
    ]
  }

  /// The bus, and the most that the camera itself can reserve of it. Never exact: the driver has the last word.
  private func usb(_ demand: CostDemand) -> [ConfigurationCost.Component] {
    guard let usb = demand.usb else { return [] }
    let link = usb.link
    // Of the same speed: a hub translates for slower ones, which have a budget of their own behind it.
    let neighbours = others.filter {
      $0.link.bus == link.bus && $0.link.megabitsPerSecond == link.megabitsPerSecond
    }
    func taken(_ which: (USBDemand) -> Bool) -> Double {
      neighbours.filter(which).reduce(0) { $0 + $1.taken }
    }
    let room =
      usb.isPeriodic
      ? USBBudget.periodic(link.megabitsPerSecond) - taken(\.isPeriodic)
      : USBBudget.bulk(link.megabitsPerSecond) - taken { _ in true }
    var components = [
      ConfigurationCost.Component(
        resource: .usbBandwidth, description: "usb bus \(link.bus)", demand: usb.taken, capacity: max(room, 1),
        certainty: .estimated)
    ]
    if let largest = link.isochronousSettings.last {
      components.append(
        .init(
          resource: .usbBandwidth, description: "largest reservation of \(demand.device.id) on usb bus \(link.bus)",
          demand: usb.payload, capacity: Double(largest), certainty: .estimated))
    }
    return components
  }

  private func work(_ demand: CostDemand) -> [ConfigurationCost.Component] {
    var components = [part(.memoryBandwidth, "copying frames", demand.copied, machine?.core.copiedBytes)]
    func add(
      _ resource: ConfigurationCost.Component.Resource, _ what: String, _ work: CostDemand.Work,
      _ perCore: KeyPath<CoreThroughput, Double>
    ) {
      guard work.threads > 0 else { return }
      guard let machine else { return components.append(part(resource, what, work.pixelsPerSecond, nil)) }
      // A thread for each output: more cores than those do not help.
      let cores = min(work.threads, machine.cores)
      components.append(
        part(
          resource, "\(what), on \(cores) of \(machine.cores) cores", work.pixelsPerSecond,
          machine.core[keyPath: perCore] * Double(cores)))
    }
    add(.conversion, "converting frames", demand.conversion, \.convertedPixels)
    add(.encoding, "encoding frames", demand.encoding, \.encodedPixels)
    return components
  }

  /// - Parameter capacity: nil while it is not known.
  private func part(
    _ resource: ConfigurationCost.Component.Resource, _ what: String, _ demand: Double, _ capacity: Double?
  ) -> ConfigurationCost.Component {
    .init(
      resource: resource, description: what, demand: demand, capacity: capacity ?? 0,
      certainty: capacity == nil ? .unknown : .estimated)
  }

  /// Seconds of processor time for each second, as a share of what the cores give at the clock they can keep up.
  private func pressure(_ demand: CostDemand, on machine: MachineCapacity) -> Double {
    let busy =
      demand.copied / machine.core.copiedBytes
      + demand.conversion.pixelsPerSecond / machine.core.convertedPixels
      + demand.encoding.pixelsPerSecond / machine.core.encodedPixels
    return busy / (Double(machine.cores) * machine.sustainedShare)
  }
}
