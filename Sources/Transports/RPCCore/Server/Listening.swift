internal import Locking

/// A server that listens, or the error that kept it from starting, for tasks that wait for either. Thread-safe.
package final class Listening<Server: Sendable>: Sendable {
  private enum State {
    case waiting([CheckedContinuation<Server, any Error>])
    case resolved(Result<Server, any Error>)
  }
  private let state = Locked(State.waiting([]))

  /// Makes the state of a server that does not listen yet.
  package init() {}

  /// Stores the result of the start and ends every wait. May be called once.
  package func resolve(_ result: Result<Server, any Error>) {
    let waiters = state.withLock { state in
      guard case .waiting(let waiters) = state else { preconditionFailure("a server runs only once") }
      state = .resolved(result)
      return waiters
    }
    for waiter in waiters { waiter.resume(with: result) }
  }

  /// The server. Reading the property waits until ``resolve(_:)`` was called.
  ///
  /// - Throws: the error with which the server failed to start.
  package var server: Server {
    get async throws {
      try await withCheckedThrowingContinuation { waiter in
        let result: Result<Server, any Error>? = state.withLock { state in
          switch state {
          case .waiting(let waiters):
            state = .waiting(waiters + [waiter])
            return nil
          case .resolved(let result): return result
          }
        }
        if let result { waiter.resume(with: result) }
      }
    }
  }

  /// The server. Nil before ``resolve(_:)`` was called, and when the server failed to start. Does not wait.
  package var serverIfListening: Server? {
    state.withLock { state in
      guard case .resolved(.success(let server)) = state else { return nil }
      return server
    }
  }
}
