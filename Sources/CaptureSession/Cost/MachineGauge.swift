internal import Synchronization

/// The machine's capacity, which is being measured when the daemon starts. Thread-safe.
public final class MachineGauge: Sendable {
  private enum State {
    /// Bounded by the calls there are.
    case measuring([CheckedContinuation<MachineCapacity?, Never>])
    case known(MachineCapacity?)
  }
  private let state: Mutex<State>

  /// To be told what was measured.
  public init() { state = Mutex(.measuring([])) }

  /// Known already. Nil: never to be known, so that costs have no component that needs it.
  public init(_ capacity: MachineCapacity?) { state = Mutex(.known(capacity)) }

  /// Ends all waiting. Nil: it could not be measured.
  public func tell(_ capacity: MachineCapacity?) {
    let waiting: [CheckedContinuation<MachineCapacity?, Never>] = state.withLock { state in
      defer { state = .known(capacity) }
      if case .measuring(let waiting) = state { return waiting }
      return []
    }
    for continuation in waiting { continuation.resume(returning: capacity) }
  }

  /// What is known now.
  var current: MachineCapacity? {
    state.withLock { if case .known(let capacity) = $0 { capacity } else { nil } }
  }

  /// Waits for the measurement.
  func capacity() async -> MachineCapacity? {
    await withCheckedContinuation { continuation in
      let known: MachineCapacity?? = state.withLock { state in
        switch state {
        case .known(let capacity): return .some(capacity)
        case .measuring(let waiting):
          state = .measuring(waiting + [continuation])
          return nil
        }
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}
