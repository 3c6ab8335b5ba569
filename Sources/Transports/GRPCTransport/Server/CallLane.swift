internal import Locking

/// The calls that wait until the server's task group runs them, in the order in which they came. A lane has one
/// consumer. ``CallQueue`` limits the number of calls in it.
///
/// The lane is not an `AsyncStream`: a cancelled consumer ends the stream, and the stream then forgets the calls in it,
/// but the server must finish every call.
final class CallLane: Sendable {
  private struct State {
    var waiting: [ServerCall] = []
    var consumer: CheckedContinuation<[ServerCall], Never>?
    var isFinished = false
  }
  private let state = Locked(State())

  /// Adds a call at the end, or hands it to the consumer that waits. gRPC's threads call this function.
  func add(_ call: ServerCall) {
    let consumer = state.withLock { state in
      guard let consumer = state.consumer.take() else {
        state.waiting.append(call)
        return CheckedContinuation<[ServerCall], Never>?.none
      }
      return consumer
    }
    consumer?.resume(returning: [call])
  }

  /// Waits until there are calls and returns all of them. Returns an empty array when ``finish()`` was called and no
  /// calls are left in the lane.
  func next() async -> [ServerCall] {
    await withCheckedContinuation { consumer in
      let calls: [ServerCall]? = state.withLock { state in
        if state.waiting.isEmpty && !state.isFinished {
          state.consumer = consumer
          return nil
        }
        defer { state.waiting.removeAll(keepingCapacity: true) }
        return state.waiting
      }
      if let calls { consumer.resume(returning: calls) }
    }
  }

  /// Ends the lane: the consumer gets the calls that still wait, and then an empty array.
  func finish() {
    let consumer = state.withLock { state in
      state.isFinished = true
      return state.consumer.take()
    }
    consumer?.resume(returning: [])
  }
}
