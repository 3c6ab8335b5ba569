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
    demand.cameras.compactMap { camera in
      camera.device.limits.sensorReadout.map {
        .init(
          resource: .sensorReadout, description: "sensor of \(camera.device.id)", demand: camera.pixelsPerSecond,
          capacity: $0, certainty: .exact, concerned: [camera.device.id])
      }
    }
  }

  /// Returns the costs of each USB bus, and of the largest share of the bus that each camera can reserve. They are
  /// estimates, because the driver decides whether a stream fits; those of the buses that synthetic cameras imitate are
  /// exact.
  private func usb(_ demand: CostDemand) -> [ConfigurationCost.Component] {
    var shares: [BusShare] = []
    for camera in demand.cameras {
      guard let usb = camera.usb else { continue }
      let share = BusShare(of: usb)
      if let known = shares.firstIndex(where: { $0.isSame(as: share) }) {
        shares[known].add(camera, usb)
      } else {
        shares.append(share)
        shares[shares.count - 1].add(camera, usb)
      }
    }
    let own = demand.cameras.compactMap(\.usb)
    return shares.flatMap { share in
      [share.component(beside: others, own: own)] + share.cameras.compactMap(Self.reservation)
    }
  }

  private static func reservation(of camera: CostDemand.Camera) -> ConfigurationCost.Component? {
    guard let usb = camera.usb, let largest = usb.link.isochronousSettings.last else { return nil }
    return .init(
      resource: .usbBandwidth, description: "largest reservation of \(camera.device.id) on usb bus \(usb.link.bus)",
      demand: usb.payload, capacity: Double(largest), certainty: .estimated, concerned: [camera.device.id])
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
