internal import CaptureCore

/// Computes the cost of a configuration from its demand. Depends on its properties and arguments alone.
struct CostModel: Sendable {
  /// The measured capacity of the machine. Nil while the machine has not been measured: the components of memory and
  /// processor then have a demand but no capacity.
  var machine: MachineCapacity?
  /// What the running streams of other cameras take of the USB buses.
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

  /// Returns the costs of the USB bus, and of the largest share of the bus that the camera can reserve. Both are
  /// estimates: the driver decides whether a stream fits.
  private func usb(_ demand: CostDemand) -> [ConfigurationCost.Component] {
    guard let usb = demand.usb else { return [] }
    let link = usb.link
    // Only cameras of the same speed share the budget. A hub translates the transfers of slower cameras, which have a
    // budget of their own behind the hub.
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
      // Each output has one thread for this work, so more cores than threads do not help.
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

  /// Returns the processor time that copying, converting and encoding take in each second, as a share of the processor
  /// time that all cores give at the clock that they sustain.
  private func pressure(_ demand: CostDemand, on machine: MachineCapacity) -> Double {
    let busy =
      demand.copied / machine.core.copiedBytes
      + demand.conversion.pixelsPerSecond / machine.core.convertedPixels
      + demand.encoding.pixelsPerSecond / machine.core.encodedPixels
    return busy / (Double(machine.cores) * machine.sustainedShare)
  }
}
