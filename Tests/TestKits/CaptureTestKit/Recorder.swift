internal import Synchronization

/// Remembers what happened, and lets a test wait for it without sleeping. Thread-safe.
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

  public init() {}

  /// Everything so far, oldest first.
  public var all: [Element] { state.withLock(\.elements) }

  public var count: Int { state.withLock(\.elements.count) }

  /// Adds `element` and wakes whoever waited for it. May be called from any thread.
  public func append(_ element: Element) {
    let (ready, elements) = state.withLock { state in
      state.elements.append(element)
      let ready = state.waiters.filter { $0.value.condition(state.elements) }
      for id in ready.keys { state.waiters[id] = nil }
      return (ready.values.map(\.continuation), state.elements)
    }
    for continuation in ready { continuation.resume(returning: elements) }
  }

  /// Forgets everything so far. Waiters stay and see only what comes.
  public func removeAll() { state.withLock { $0.elements.removeAll() } }

  /// Returns everything recorded, as soon as `condition` holds for it: at once if it does already.
  ///
  /// - Parameters:
  ///   - limit: only so that a broken test ends; no test passes or fails by it otherwise.
  ///   - condition: called inside a lock; must not use this recorder.
  /// - Throws: ``NeverHappened`` at the limit or when the task is cancelled.
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

  /// Returns everything recorded, once there are `count` elements or more.
  @discardableResult
  public func wait(count: Int, upTo limit: Duration = .seconds(30)) async throws -> [Element] {
    try await wait(upTo: limit) { $0.count >= count }
  }

  /// The first element that `matches`, past or future.
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

/// What a test waited for did not come.
public struct NeverHappened: Error, CustomStringConvertible {
  /// How many events there were instead.
  public let seen: Int

  public var description: String { "what the test waited for never happened; \(seen) events were recorded" }
}
