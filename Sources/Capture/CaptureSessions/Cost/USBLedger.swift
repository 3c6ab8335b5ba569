internal import CaptureCore
internal import Locking

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
