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
  private let state: Locked<State>
  private let depth: Int
  private let changes: AsyncStream<Void>
  /// Wakes the consumer. The queue makes this function once, because making one for each event allocates.
  private let wake: @Sendable () -> Void

  /// Makes an empty queue.
  ///
  /// - Parameter depth: how many events wait. The queue leaves out further ones, so it has room for all that can come.
  public init(depth: Int) {
    self.depth = depth
    var state = State()
    state.events.reserveCapacity(depth)
    self.state = Locked(state)
    let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    wake = { changed.yield() }
  }

  /// Puts an event into the queue, unless it has ended.
  public func put(_ event: Event) {
    state.withLock { if !$0.hasEnded, $0.events.count < depth { $0.events.append(event) } }
    afterUnlocking(wake)
  }

  /// Ends the queue after the events that are in it.
  public func end() {
    state.withLock { $0.hasEnded = true }
    afterUnlocking(wake)
  }

  /// The events, for one consumer.
  public func makeAsyncIterator() -> Iterator { Iterator(queue: self, changes: changes.makeAsyncIterator()) }

  private func take() -> (event: Event?, hasEnded: Bool) {
    // Unlike removeFirst(), remove(at:) does not allocate in generic code.
    state.withLock { ($0.events.isEmpty ? nil : $0.events.remove(at: 0), $0.hasEnded) }
  }
}
