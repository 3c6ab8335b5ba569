internal import CaptureCore
internal import Synchronization

/// What the daemon's streams take of the USB buses, by device. Thread-safe.
///
/// A camera that was unplugged while it ran counts until its session is stopped: it is to resume by itself.
final class USBLedger: Sendable {
  private let demands = Mutex<[String: USBDemand]>([:])

  func set(_ demand: USBDemand?, of device: String) { demands.withLock { $0[device] = demand } }

  func keep(_ isKept: (String) -> Bool) { demands.withLock { $0 = $0.filter { isKept($0.key) } } }

  func demands(besides device: String) -> [USBDemand] {
    demands.withLock { $0.filter { $0.key != device }.map(\.value) }
  }
}
