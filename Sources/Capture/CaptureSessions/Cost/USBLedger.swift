internal import CaptureCore
internal import Synchronization

/// How much of the USB buses the daemon's running streams take, by device id. Thread-safe.
///
/// A camera that is unplugged while it streams keeps its entry until its session is stopped, because the session
/// resumes by itself when the camera returns.
final class USBLedger: Sendable {
  private let demands = Mutex<[String: USBDemand]>([:])

  func set(_ demand: USBDemand?, of device: String) { demands.withLock { $0[device] = demand } }

  func keep(_ isKept: (String) -> Bool) { demands.withLock { $0 = $0.filter { isKept($0.key) } } }

  func demands(besides device: String) -> [USBDemand] {
    demands.withLock { $0.filter { $0.key != device }.map(\.value) }
  }
}
