/// A queue of events for one consumer, who gets each of them in the order in which they were put. Thread-safe.
///
/// Any code may put, also under a ``Locked``, whose order the events then have: the consumer wakes only once the thread
/// holds no lock any more.
public final class EventQueue<Event: Sendable>: AsyncSequence, Sendable {
  /// Takes the events out of the queue.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let queue: EventQueue
    fileprivate var changes: AsyncStream<Void>.Iterator

    /// The next event. Nil once the queue has ended and is empty, or the task is cancelled.
    public mutating func next() async -> Event? {
      while true {
        let (event, hasEnded) = queue.take()
        if event != nil || hasEnded { return event }
        guard await changes.next() != nil else { return nil }
      }
    }
  }

  private struct State {
    var events: [Event] = []
    var hasEnded = false
  }
  private let state = Locked(State())
  private let depth: Int
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  /// Makes an empty queue.
  ///
  /// - Parameter depth: how many events wait. The queue leaves out further ones, so it has room for all that can come.
  public init(depth: Int) {
    self.depth = depth
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Puts an event into the queue, unless it has ended.
  public func put(_ event: Event) {
    state.withLock { if !$0.hasEnded, $0.events.count < depth { $0.events.append(event) } }
    afterUnlocking { [changed] in changed.yield() }
  }

  /// Ends the queue after the events that are in it.
  public func end() {
    state.withLock { $0.hasEnded = true }
    afterUnlocking { [changed] in changed.yield() }
  }

  /// The events, for one consumer.
  public func makeAsyncIterator() -> Iterator { Iterator(queue: self, changes: changes.makeAsyncIterator()) }

  private func take() -> (event: Event?, hasEnded: Bool) {
    state.withLock { ($0.events.isEmpty ? nil : $0.events.removeFirst(), $0.hasEnded) }
  }
}
