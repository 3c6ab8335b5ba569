internal import FirstlightServices
internal import Synchronization

/// Keeps the faults that clients ask for, in place of injecting them. Thread-safe.
final class FaultRecorder: Sendable {
  private let faults = Mutex<[(fault: InjectedFault, device: String)]>([])

  /// All faults so far, each with the id of its device.
  var injected: [(fault: InjectedFault, device: String)] { faults.withLock { $0 } }

  func inject(_ fault: InjectedFault, into device: String) { faults.withLock { $0.append((fault, device)) } }
}
