internal import CaptureCore

/// Prices what configurations take. Pure.
struct CostModel: Sendable {
  /// Nil: not measured, so that nothing is said of memory and processor.
  var machine: MachineCapacity?
  /// Streams of other sessions.
  var others: [USBDemand] = []

  func cost(of demand: CostDemand?) -> ConfigurationCost {
    guard let demand else { return ConfigurationCost() }
    var cost = ConfigurationCost()
    cost.components = sensor(demand) + usb(demand)
    guard let machine else { return cost }
    cost.components += work(demand, on: machine)
    cost.systemPressure = pressure(demand, on: machine)
    return cost
  }

  private func sensor(_ demand: CostDemand) -> [ConfigurationCost.Component] {
    guard let readout = demand.device.limits.sensorReadout else { return [] }
    return [
      .init(
        resource: .sensorReadout, description: "sensor of \(demand.device.id)", demand: demand.pixelsPerSecond,
        capacity: readout, isExact: true)
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
        isExact: false)
    ]
    if let largest = link.isochronousSettings.last {
      components.append(
        .init(
          resource: .usbBandwidth, description: "largest reservation of \(demand.device.id) on usb bus \(link.bus)",
          demand: usb.payload, capacity: Double(largest), isExact: false))
    }
    return components
  }

  private func work(_ demand: CostDemand, on machine: MachineCapacity) -> [ConfigurationCost.Component] {
    var components = [
      ConfigurationCost.Component(
        resource: .memoryBandwidth, description: "copying frames", demand: demand.copied,
        capacity: machine.core.copiedBytes, isExact: false)
    ]
    func add(
      _ resource: ConfigurationCost.Component.Resource, _ what: String, _ work: CostDemand.Work, _ perCore: Double
    ) {
      guard work.threads > 0 else { return }
      // A thread for each output: more cores than those do not help.
      let cores = min(work.threads, machine.cores)
      components.append(
        .init(
          resource: resource, description: "\(what), on \(cores) of \(machine.cores) cores",
          demand: work.pixelsPerSecond, capacity: perCore * Double(cores), isExact: false))
    }
    add(.conversion, "converting frames", demand.conversion, machine.core.convertedPixels)
    add(.encoding, "encoding frames", demand.encoding, machine.core.encodedPixels)
    return components
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
