internal import FirstlightServices
internal import Synchronization

/// Keeps the faults that clients ask for, in place of injecting them. Thread-safe.
final class FaultRecorder: Sendable {
  private let faults = Mutex<[(fault: InjectedFault, device: String)]>([])

  /// All faults so far, each with the id of its device.
  var injected: [(fault: InjectedFault, device: String)] { faults.withLock { $0 } }

  func inject(_ fault: InjectedFault, into device: String) { faults.withLock { $0.append((fault, device)) } }
}

extension ServerFacts {
  /// The facts of a daemon in a test.
  static let test = ServerFacts(
    version: "1.2.3", bootID: "boot",
    server: ServerLimits(
      maximumRequestBytes: 8 << 20, maximumSmallRequestBytes: 64 << 10, maximumConnections: 3,
      maximumConnectionsPerAddress: 2, maximumCalls: 5, maximumCallsPerConnection: 4, maximumCallsPerSecond: 6),
    usesHardwareEncoders: false, deferredStartLimit: .seconds(1))
}
