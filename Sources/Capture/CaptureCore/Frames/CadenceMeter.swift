internal import Locking

/// Counts the cadence of one output on the threads of the output's readers. Thread-safe; counting a frame allocates no
/// memory.
public final class CadenceMeter: Sendable {
  private let state = Locked(Cadence())

  /// Creates a meter that has counted no frame.
  public init() {}

  /// The cadence of all frames until now.
  public var current: Cadence { state.withLock { $0 } }

  func add(interval: UInt64?, lateness: UInt64) {
    state.withLock { cadence in
      if let interval { cadence.interval.add(interval) }
      cadence.lateness.add(lateness)
    }
  }
}
