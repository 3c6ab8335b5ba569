internal import CaptureCore

/// What the cameras of a configuration take together of one USB bus, in one kind of transfer. A value.
struct BusShare {
  private let link: USBLink
  private let isPeriodic: Bool
  private(set) var cameras: [CostDemand.Camera] = []
  private var taken = 0.0

  /// An empty share, for demands like this one.
  init(of demand: USBDemand) {
    link = demand.link
    isPeriodic = demand.isPeriodic
  }

  /// Whether two shares are of the same budget. Only cameras of the same speed share one. A hub translates the
  /// transfers of slower cameras, which have a budget of their own behind the hub.
  func isSame(as other: BusShare) -> Bool { isOn(other.link) && isPeriodic == other.isPeriodic }

  private func isOn(_ other: USBLink) -> Bool {
    other.bus == link.bus && other.megabitsPerSecond == link.megabitsPerSecond
  }

  mutating func add(_ camera: CostDemand.Camera, _ demand: USBDemand) {
    cameras.append(camera)
    taken += demand.taken
  }

  /// Returns the cost of this share of the bus.
  ///
  /// - Parameters:
  ///   - others: what the streams of other sessions take.
  ///   - own: what all cameras of the configuration take.
  func component(beside others: [USBDemand], own: [USBDemand]) -> ConfigurationCost.Component {
    // Bulk transfers get what reserved ones leave.
    let reserved = isPeriodic ? [] : own.filter(\.isPeriodic)
    let neighbours = (others + reserved).filter { isOn($0.link) && ($0.isPeriodic || !isPeriodic) }
    let room =
      isPeriodic ? USBBudget.periodic(link.megabitsPerSecond) : USBBudget.bulk(link.megabitsPerSecond)
    let names = cameras.map(\.device.id).joined(separator: ", ")
    return .init(
      resource: .usbBandwidth,
      description: cameras.count > 1 ? "usb bus \(link.bus), which \(names) share" : "usb bus \(link.bus)",
      demand: taken, capacity: max(room - neighbours.reduce(0) { $0 + $1.taken }, 1),
      certainty: cameras.allSatisfy { $0.device.type == .synthetic } ? .exact : .estimated,
      concerned: cameras.map(\.device.id))
  }
}
