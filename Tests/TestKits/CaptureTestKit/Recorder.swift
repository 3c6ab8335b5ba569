internal import Synchronization

/// Records events, and lets a test wait for events without sleeping. Thread-safe.
///
/// ```swift
/// let frames = try await sink.frames.wait(count: 3)
/// ```
public final class Recorder<Element: Sendable>: Sendable {
  private struct Waiter {
    var condition: @Sendable ([Element]) -> Bool
    var continuation: CheckedContinuation<[Element], any Error>
  }
  private struct State {
    var elements: [Element] = []
    var waiters: [UInt64: Waiter] = [:]
    var abandoned: Set<UInt64> = []
    var lastID: UInt64 = 0
  }
  private let state = Mutex(State())

  /// Creates an empty recorder.
  public init() {}

  /// All elements until now, oldest first.
  public var all: [Element] { state.withLock(\.elements) }

  /// The number of elements until now.
  public var count: Int { state.withLock(\.elements.count) }

  /// Adds `element` and wakes the tasks whose condition now holds. May be called on any thread.
  public func append(_ element: Element) {
    let (ready, elements) = state.withLock { state in
      state.elements.append(element)
      let ready = state.waiters.filter { $0.value.condition(state.elements) }
      for id in ready.keys { state.waiters[id] = nil }
      return (ready.values.map(\.continuation), state.elements)
    }
    for continuation in ready { continuation.resume(returning: elements) }
  }

  /// Removes all elements. Tasks that wait go on waiting, and their conditions see only the elements that come later.
  public func removeAll() { state.withLock { $0.elements.removeAll() } }

  /// Waits until `condition` holds for the elements, and returns all elements. Returns at once when `condition` holds
  /// already.
  ///
  /// - Parameters:
  ///   - limit: the longest wait. It only ends a test that is broken; no test may pass or fail because of its length.
  ///   - condition: called with all elements, inside a lock; must not use this recorder.
  /// - Throws: ``NeverHappened`` when the limit has passed or the task is cancelled.
  @discardableResult
  public func wait(
    upTo limit: Duration = .seconds(30), until condition: @escaping @Sendable ([Element]) -> Bool
  ) async throws -> [Element] {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let watchdog = Task {
      try await Task.sleep(for: limit)
      abandon(id)
    }
    defer {
      watchdog.cancel()
      state.withLock { _ = $0.abandoned.remove(id) }
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { register(id, Waiter(condition: condition, continuation: $0)) }
    } onCancel: {
      abandon(id)
    }
  }

  /// Waits until there are at least `count` elements, and returns all elements.
  ///
  /// - Throws: ``NeverHappened`` as ``wait(upTo:until:)`` does.
  @discardableResult
  public func wait(count: Int, upTo limit: Duration = .seconds(30)) async throws -> [Element] {
    try await wait(upTo: limit) { $0.count >= count }
  }

  /// Waits until there is an element for which `matches` returns true, and returns the first such element.
  ///
  /// - Throws: ``NeverHappened`` as ``wait(upTo:until:)`` does.
  @discardableResult
  public func first(
    upTo limit: Duration = .seconds(30), where matches: @escaping @Sendable (Element) -> Bool
  ) async throws -> Element {
    try await wait(upTo: limit) { $0.contains(where: matches) }.first(where: matches)!
  }

  private func register(_ id: UInt64, _ waiter: Waiter) {
    let result: Result<[Element], any Error>? = state.withLock { state in
      if waiter.condition(state.elements) { return .success(state.elements) }
      if state.abandoned.contains(id) { return .failure(NeverHappened(seen: state.elements.count)) }
      state.waiters[id] = waiter
      return nil
    }
    if let result { waiter.continuation.resume(with: result) }
  }

  private func abandon(_ id: UInt64) {
    let (waiter, seen) = state.withLock { state in
      state.abandoned.insert(id)
      return (state.waiters.removeValue(forKey: id), state.elements.count)
    }
    waiter?.continuation.resume(throwing: NeverHappened(seen: seen))
  }
}

/// The error of a wait whose condition did not hold before the limit passed or the task was cancelled.
public struct NeverHappened: Error, CustomStringConvertible {
  /// The number of elements that the recorder had when the wait ended.
  public let seen: Int

  public var description: String { "what the test waited for never happened; \(seen) events were recorded" }
}
