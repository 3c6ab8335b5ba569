internal import Synchronization

/// An output's cadence, which its readers' threads count. Thread-safe; a frame costs no allocation.
public final class CadenceMeter: Sendable {
  private let state = Mutex(Cadence())

  public init() {}

  /// The counts so far.
  public var current: Cadence { state.withLock { $0 } }

  func add(interval: UInt64?, lateness: UInt64) {
    state.withLock { cadence in
      if let interval { cadence.interval.add(interval) }
      cadence.lateness.add(lateness)
    }
  }
}
