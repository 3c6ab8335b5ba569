/// Tells any number of watchers what happens. Thread-safe.
///
/// Any code may tell, also under a ``Locked``: the watchers wake only once the thread holds no lock any more. Where
/// several threads tell, the order of the elements is that in which the threads are through with their locks. A watcher
/// who needs the order of the changes themselves reads them from a ``NewestValues`` or an ``EventQueue``.
public final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var watchers: [UInt64: AsyncStream<Element>.Continuation] = [:]
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
    let id: UInt64? = state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = watcher
      return state.lastWatcher
    }
    guard let id else {
      watcher.finish()
      return (stream, {})
    }
    watcher.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.watchers.removeValue(forKey: id) }
      whenGone?()
    }
    return (stream, { afterUnlocking { watcher.finish() } })
  }

  /// Tells everyone who watches now. Without watchers, telling allocates no memory.
  public func tell(_ element: Element) {
    let watchers = state.withLock { Array($0.watchers.values) }
    if !watchers.isEmpty { afterUnlocking { for watcher in watchers { watcher.yield(element) } } }
  }

  /// Ends the streams of all watchers, after what they were told, and of those who come later.
  public func end() {
    let watchers = state.withLock { state in
      defer { (state.watchers, state.hasEnded) = ([:], true) }
      return Array(state.watchers.values)
    }
    if !watchers.isEmpty { afterUnlocking { for watcher in watchers { watcher.finish() } } }
  }
}

extension Broadcast<Void> {
  /// Tells every watcher that something changed.
  public func tell() { tell(()) }
}
