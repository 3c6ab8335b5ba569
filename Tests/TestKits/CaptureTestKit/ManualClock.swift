internal import Synchronization
public import SystemClocks

/// A clock that stands still until a test advances it. Thread-safe.
public final class ManualClock: Clock {
  /// A point in time, as its distance from the clock's zero.
  public struct Instant: InstantProtocol {
    /// The distance from the clock's zero.
    public var offset: Duration

    /// Creates the instant at this distance from the clock's zero.
    public init(offset: Duration) { self.offset = offset }

    /// The instant that is `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// The time from this instant to `other`; negative when `other` is earlier.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct Sleeper {
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }
  private struct State {
    var now: Instant
    var sleepers: [UInt64: Sleeper] = [:]
    var cancelled: Set<UInt64> = []
    var lastID: UInt64 = 0
  }
  private let state: Mutex<State>
  /// The deadline of each sleep that had to wait. A test waits here for its sleepers before it advances the clock, so
  /// that the advance wakes all of them.
  public let sleeps = Recorder<Instant>()

  /// Creates a clock.
  ///
  /// - Parameter now: the time that the clock starts with, as the distance from its zero.
  public init(now: Duration = .zero) { state = Mutex(State(now: Instant(offset: now))) }

  /// The present instant of the clock.
  public var now: Instant { state.withLock(\.now) }

  /// The number of tasks that sleep now.
  public var sleeping: Int { state.withLock(\.sleepers.count) }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The present instant of the clock as an instant of CLOCK_MONOTONIC whose epoch is the clock's zero, for code that
  /// takes ``MonotonicInstant``s.
  public var monotonic: MonotonicInstant {
    let (seconds, attoseconds) = now.offset.components
    return MonotonicInstant(nanoseconds: UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
  }

  /// Moves the clock forward and wakes every sleeper whose deadline has come, the earliest deadline first.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Returns when the clock reaches `deadline`; at once when it has reached `deadline` already. The clock ignores
  /// `tolerance`.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    defer { state.withLock { _ = $0.cancelled.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { add(id, Sleeper(deadline: deadline, continuation: $0)) }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  private func add(_ id: UInt64, _ sleeper: Sleeper) {
    let result: Result<Void, any Error>? = state.withLock { state in
      if state.cancelled.contains(id) { return .failure(CancellationError()) }
      if sleeper.deadline <= state.now { return .success(()) }
      state.sleepers[id] = sleeper
      return nil
    }
    if let result { sleeper.continuation.resume(with: result) } else { sleeps.append(sleeper.deadline) }
  }
}
