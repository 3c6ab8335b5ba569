internal import Locking
public import SystemClocks

/// A log that numbers events and keeps the newest ones for any number of watchers. Thread-safe.
///
/// Any code may append, also under a `Locked`: the watchers wake only once the thread holds no lock any more.
///
/// A watcher has no queue of its own: it is a position in this log. A watcher that falls behind by more than `capacity`
/// events gets an error that says that it lost some.
public final class EventLog<Payload: Sendable>: Sendable {
  /// An event with its number. Numbers grow by one from event to event.
  public struct Entry: Sendable {
    /// The number of the event; the first event of a log has 1.
    public let id: UInt64
    /// When the event was added.
    public let time: WallInstant
    /// The content of the event.
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
  private let state = Locked(State())
  private let capacity: Int
  /// A name that belongs to this log alone. Ids need the name, because numbers begin anew in each log and in each run
  /// of the daemon.
  private let name = RandomToken.make(words: 1)

  /// Creates an empty log.
  ///
  /// - Parameter capacity: how many events the log keeps.
  public init(capacity: Int = EventLogCapacity.standard) { self.capacity = capacity }

  /// Makes the id of an event for clients. No event of another log and no event of another run of the daemon has the
  /// same id.
  ///
  /// - Parameter number: the number of the event; 0 stands for the time before the first event.
  public func eventID(_ number: UInt64) -> String { "\(name)-\(number)" }

  /// The number from which ``eventID(_:)`` made the id.
  ///
  /// - Throws: `eventsLost` for an id that does not belong to this log.
  public func number(of eventID: String) throws(CaptureError) -> UInt64 {
    let parts = eventID.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == name, let number = UInt64(parts[1]) else { throw Self.unknown(eventID) }
    return number
  }

  /// The number of the newest event; 0 before the first.
  public var lastID: UInt64 { state.withLock { $0.lastID } }

  /// Adds an event and wakes the watchers. After ``end(_:)``, the log adds no more events.
  ///
  /// - Returns: the number of the event; after ``end(_:)``, the number of the last event before that.
  @discardableResult
  public func append(_ payload: Payload) -> UInt64 {
    let time = WallInstant.now()
    let (id, waiters) = state.withLock { state -> (UInt64, [CheckedContinuation<Void, Never>]) in
      guard state.ended == nil else { return (state.lastID, []) }
      state.lastID += 1
      state.entries.append(Entry(id: state.lastID, time: time, payload: payload))
      if state.entries.count > capacity { state.entries.removeFirst() }
      return (state.lastID, state.takeWaiters())
    }
    if !waiters.isEmpty { afterUnlocking { for waiter in waiters { waiter.resume() } } }
    return id
  }

  /// Ends the log: each watcher gets `error` after it has read the events that are there. Only the first call has an
  /// effect on the error.
  public func end(_ error: CaptureError) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      if state.ended == nil { state.ended = error }
      return state.takeWaiters()
    }
    if !waiters.isEmpty { afterUnlocking { for waiter in waiters { waiter.resume() } } }
  }

  /// Returns the event after the one with the number `id`, and waits for that event if it has not happened yet.
  ///
  /// - Throws: `eventsLost` when the log no longer keeps the event or never gave the number `id`; the error of
  ///   ``end(_:)``; `CancellationError` when the task is cancelled.
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

  /// Returns all events after the one with the number `number` that have happened until now.
  ///
  /// - Throws: `eventsLost` when the log no longer keeps all of them or never gave the number `number`.
  public func entries(after number: UInt64) throws(CaptureError) -> [Entry] {
    let (entries, last) = state.withLock { ($0.entries, $0.lastID) }
    guard number <= last, number == last || entries.first.map({ number + 1 >= $0.id }) == true else {
      throw lost(number, oldest: entries.first?.id)
    }
    return entries.filter { $0.id > number }
  }

  /// The event with the number `number`; nil when the log does not keep it.
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
      let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
      if let waiter { afterUnlocking { waiter.resume() } }
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
      "\(shown) is an event of another stream or another run of the daemon; read the present state again and watch "
        + "from there.",
      metadata: ["after_event_id": shown], field: "after_event_id")
  }
}

/// The number of events that an ``EventLog`` keeps, unless its creator asks for another number.
public enum EventLogCapacity { public static let standard = 1024 }
