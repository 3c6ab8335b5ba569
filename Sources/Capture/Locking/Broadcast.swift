/// Tells any number of watchers what happens. Thread-safe.
///
/// Any code may tell, also under a ``Locked``: the watchers wake only once the thread holds no lock any more. Where
/// several threads tell, the order of the elements is that in which the threads are through with their locks. A watcher
/// who needs the order of the changes themselves reads them from a ``NewestValues`` or an ``EventQueue``.
public final class Broadcast<Element: Sendable>: Sendable {
  private struct Watcher {
    let tell: @Sendable (Element) -> Void
    let end: @Sendable () -> Void
  }
  private struct State {
    var watchers: [UInt64: Watcher] = [:]
    var lastWatcher: UInt64 = 0
    var hasEnded = false
  }
  private let state = Locked(State())
  private let depth: Int

  /// Makes a broadcast that nobody watches.
  ///
  /// - Parameter depth: how many elements wait for a slow watcher, who loses the oldest.
  public init(depth: Int) { self.depth = depth }

  deinit { end() }

  /// Whether anybody watches.
  public var isWatched: Bool { state.withLock { !$0.watchers.isEmpty } }

  /// The elements from now on, until the consumer stops iterating, or the broadcast ends or goes away.
  ///
  /// - Parameter whenGone: called on any thread when the watcher has gone; not when the broadcast had ended before.
  public func watch(whenGone: (@Sendable () -> Void)? = nil) -> AsyncStream<Element> {
    endableWatch(whenGone: whenGone).elements
  }

  /// As ``watch(whenGone:)``, with a function that ends the stream after what the watcher was told.
  public func endableWatch(
    whenGone: (@Sendable () -> Void)? = nil
  ) -> (elements: AsyncStream<Element>, end: @Sendable () -> Void) {
    let (stream, watcher) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(depth))
    add(watcher, whenGone) { element in watcher.yield(element) }
    return (stream, { afterUnlocking { watcher.finish() } })
  }

  /// What `seen` makes of the elements from now on, until the consumer stops iterating, or the broadcast ends or goes
  /// away. Elements of which it makes nil are left out.
  ///
  /// - Parameter first: what the consumer gets at once, also when the broadcast has ended.
  public func watchPart<Seen: Sendable>(
    beginningWith first: Seen? = nil, _ seen: @escaping @Sendable (Element) -> Seen?
  ) -> AsyncStream<Seen> {
    let (stream, watcher) = AsyncStream.makeStream(of: Seen.self, bufferingPolicy: .bufferingNewest(depth))
    // Before the watcher is known, so that nothing newer comes earlier. Nobody iterates over the stream yet, so that
    // this wakes no task.
    if let first { watcher.yield(first) }
    add(watcher, nil) { element in
      if let part = seen(element) { watcher.yield(part) }
    }
    return stream
  }

  /// Adds a watcher, whose stream ends at once when the broadcast has ended.
  private func add<Seen>(
    _ watcher: AsyncStream<Seen>.Continuation, _ whenGone: (@Sendable () -> Void)?,
    _ tell: @escaping @Sendable (Element) -> Void
  ) {
    let id: UInt64? = state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = Watcher(tell: tell, end: { watcher.finish() })
      return state.lastWatcher
    }
    guard let id else { return watcher.finish() }
    watcher.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.watchers.removeValue(forKey: id) }
      whenGone?()
    }
  }

  /// Tells everyone who watches now. Without watchers, telling allocates no memory.
  public func tell(_ element: Element) {
    let watchers = state.withLock { Array($0.watchers.values) }
    if !watchers.isEmpty { afterUnlocking { for watcher in watchers { watcher.tell(element) } } }
  }

  /// Ends the streams of all watchers, after what they were told, and of those who come later.
  public func end() {
    let watchers = state.withLock { state in
      defer { (state.watchers, state.hasEnded) = ([:], true) }
      return Array(state.watchers.values)
    }
    if !watchers.isEmpty { afterUnlocking { for watcher in watchers { watcher.end() } } }
  }
}

extension Broadcast<Void> {
  /// Tells every watcher that something changed.
  public func tell() { tell(()) }
}
