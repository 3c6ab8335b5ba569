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
  /// Of this log alone: numbers begin anew in each log, and in each run of the daemon.
  private let name = RandomToken.make(words: 1)

  public init(capacity: Int = EventLogCapacity.standard) { self.capacity = capacity }

  /// Names an event for clients: no event of another log, and none of another run of the daemon, has the same id.
  ///
  /// - Parameter number: 0 names the time before the first event.
  public func eventID(_ number: UInt64) -> String { "\(name)-\(number)" }

  /// The number that ``eventID(_:)`` gave an id for.
  ///
  /// - Throws: `eventsLost` for every id that is not of this log.
  public func number(of eventID: String) throws(CaptureError) -> UInt64 {
    let parts = eventID.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == name, let number = UInt64(parts[1]) else { throw Self.unknown(eventID) }
    return number
  }

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
        if id > state.lastID { return .failure(lost(id, oldest: state.entries.first?.id)) }
        if id < state.lastID {
          guard let first = state.entries.first, id + 1 >= first.id else {
            return .failure(lost(id, oldest: state.entries.first?.id))
          }
          return .success(state.entries[Int(id + 1 - first.id)])
        }
        return state.ended.map { .failure($0) }
      }
      if let found { return try found.get() }
      await waitForChange(after: id)
    }
  }

  /// The events after the one numbered `number`, as far as they have happened.
  ///
  /// - Throws: `eventsLost` when some are no longer kept or `number` was never given.
  public func entries(after number: UInt64) throws(CaptureError) -> [Entry] {
    let (entries, last) = state.withLock { ($0.entries, $0.lastID) }
    guard number <= last, number == last || entries.first.map({ number + 1 >= $0.id }) == true else {
      throw lost(number, oldest: entries.first?.id)
    }
    return entries.filter { $0.id > number }
  }

  /// The event numbered `number`; nil when it is not kept.
  public func entry(_ number: UInt64) -> Entry? {
    state.withLock { state in
      guard let first = state.entries.first, number >= first.id, number <= state.lastID else { return nil }
      return state.entries[Int(number - first.id)]
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

  private func lost(_ number: UInt64, oldest: UInt64?) -> CaptureError {
    CaptureError(
      .eventsLost,
      "Events after \(eventID(number)) are no longer kept; read the present state again and watch from there.",
      metadata: ["after_event_id": eventID(number), "oldest_event_id": oldest.map(eventID) ?? "none"],
      field: "after_event_id")
  }

  private static func unknown(_ eventID: String) -> CaptureError {
    let shown = String(eventID.prefix(80))
    return CaptureError(
      .eventsLost,
      "\(shown) is an event of another stream or another run of the daemon; read the present state again and watch from there.",
      metadata: ["after_event_id": shown], field: "after_event_id")
  }
}
