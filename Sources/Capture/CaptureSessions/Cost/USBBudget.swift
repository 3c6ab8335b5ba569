internal import CaptureCore
internal import Locking

/// The bandwidth of a USB bus.
enum USBBudget {
  /// Returns the bytes per second that isochronous transfers may reserve on a bus, given its signalling rate in
  /// megabits per second.
  ///
  /// They may reserve 90 % of a full-speed frame, 80 % of a high-speed microframe (USB 2.0, 5.6.4 and 5.7.4) and 90 %
  /// of a SuperSpeed interval (xHCI 1.2, 4.14.2). The bus keeps the rest for control and bulk transfers. The result
  /// counts bytes after line coding: 8b/10b at 5 Gbit/s, 128b/132b above (USB 3.2, chapter 6). It ignores the overhead
  /// of packets, so it is an upper bound.
  static func periodic(_ megabits: Double) -> Double { raw(megabits) * (480...4999 ~= megabits ? 0.8 : 0.9) }

  /// Returns the bytes per second that bulk transfers reach when nothing else uses the bus. That is 19 packets of 64
  /// bytes in a full-speed frame, and 13 packets of 512 bytes in a high-speed microframe (USB 2.0, tables 5-9 and
  /// 5-10). On faster buses it is the capacity of the line.
  static func bulk(_ megabits: Double) -> Double {
    megabits < 480 ? 19 * 64 * 1000 : megabits < 5000 ? 13 * 512 * 8000 : raw(megabits)
  }

  private static func raw(_ megabits: Double) -> Double {
    let bits = megabits * 1e6
    return megabits < 5000 ? bits / 8 : megabits < 10_000 ? bits / 10 : bits / 8 * 128 / 132
  }
}

/// How much of the USB buses the daemon's running streams take, by device id. Thread-safe.
///
/// A camera that is unplugged while it streams keeps its entry until its session is stopped, because the session
/// resumes by itself when the camera returns.
final class USBLedger: Sendable {
  private let demands = Locked<[String: USBDemand]>([:])

  func set(_ demand: USBDemand?, of device: String) { demands.withLock { $0[device] = demand } }

  func keep(_ isKept: (String) -> Bool) { demands.withLock { $0 = $0.filter { isKept($0.key) } } }

  /// Returns the ids of the devices besides `device` whose streams share its budget, in order.
  func sharing(_ link: USBLink, besides device: String) -> [String] {
    demands.withLock { demands in
      demands.filter {
        $0.key != device && $0.value.link.bus == link.bus
          && $0.value.link.megabitsPerSecond == link.megabitsPerSecond
      }.keys.sorted()
    }
  }

  func demands(besides devices: [String]) -> [USBDemand] {
    demands.withLock { $0.filter { !devices.contains($0.key) }.map(\.value) }
  }
}

/// How much of its USB bus one stream takes.
struct USBDemand: Hashable, Sendable {
  var link: USBLink
  /// Bytes per second of the pictures alone.
  var payload: Double

  /// Whether the camera reserves a share of the bus, as isochronous transfers do.
  var isPeriodic: Bool { !link.isochronousSettings.isEmpty }

  /// Bytes per second that the stream takes of the bus. A camera that reserves takes its smallest isochronous setting
  /// that carries the pictures; without such a setting the stream takes what the pictures take.
  var taken: Double {
    link.isochronousSettings.first { Double($0) >= payload }.map(Double.init) ?? payload
  }
}

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
