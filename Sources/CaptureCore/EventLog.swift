internal import Synchronization

/// The newest events of something, numbered, for any number of watchers. Thread-safe.
///
/// Watchers keep no queue of their own: each is a position in this log. One that falls behind by more than `capacity`
/// events is told that it lost some.
public final class EventLog<Payload: Sendable>: Sendable {
  /// An event with its number; numbers grow by one.
  public struct Entry: Sendable {
    public let id: UInt64
    /// Wall clock, nanoseconds since the Unix epoch.
    public let wallNanoseconds: UInt64
    public let payload: Payload
  }

  private struct State {
    var entries: [Entry] = []
    var lastID: UInt64 = 0
    var ended: CaptureError?
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter: UInt64 = 0

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      defer { waiters.removeAll() }
      return Array(waiters.values)
    }
  }
  private let state = Mutex(State())
  private let capacity: Int

  public init(capacity: Int = 1024) { self.capacity = capacity }

  /// The number of the newest event, 0 before the first.
  public var lastID: UInt64 { state.withLock { $0.lastID } }

  /// Adds an event and wakes the watchers. After ``end(_:)`` nobody gets it.
  ///
  /// - Returns: its number.
  @discardableResult
  public func append(_ payload: Payload) -> UInt64 {
    let wall = SystemClock.wallNanoseconds()
    let (id, waiters) = state.withLock { state -> (UInt64, [CheckedContinuation<Void, Never>]) in
      guard state.ended == nil else { return (state.lastID, []) }
      state.lastID += 1
      state.entries.append(Entry(id: state.lastID, wallNanoseconds: wall, payload: payload))
      if state.entries.count > capacity { state.entries.removeFirst() }
      return (state.lastID, state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    return id
  }

  /// Ends every watcher with `error`, once it has read what is there. The first call counts.
  public func end(_ error: CaptureError) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      if state.ended == nil { state.ended = error }
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// The event after the one numbered `id`; waits for it if it has not happened yet.
  ///
  /// - Throws: `eventsLost` when it is no longer kept or `id` was never given, the error of ``end(_:)``,
  ///   `CancellationError` when the task is cancelled.
  public func entry(after id: UInt64) async throws -> Entry {
    while true {
      try Task.checkCancellation()
      let found: Result<Entry, CaptureError>? = state.withLock { state in
        if id > state.lastID { return .failure(Self.lost(id, oldest: state.entries.first?.id)) }
        if id < state.lastID {
          guard let first = state.entries.first, id + 1 >= first.id else {
            return .failure(Self.lost(id, oldest: state.entries.first?.id))
          }
          return .success(state.entries[Int(id + 1 - first.id)])
        }
        return state.ended.map { .failure($0) }
      }
      if let found { return try found.get() }
      await waitForChange(after: id)
    }
  }

  private func waitForChange(after id: UInt64) async {
    let ticket = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let resumeNow = state.withLock { state in
          if state.lastID != id || state.ended != nil || Task.isCancelled { return true }
          state.waiters[ticket] = continuation
          return false
        }
        if resumeNow { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
    }
  }

  private static func lost(_ id: UInt64, oldest: UInt64?) -> CaptureError {
    CaptureError(
      .eventsLost,
      "Events after \(id) are no longer kept; read the present state again and watch without after_event_id.",
      metadata: ["after_event_id": "\(id)", "oldest_event_id": oldest.map { "\($0)" } ?? "none"],
      field: "after_event_id")
  }
}
