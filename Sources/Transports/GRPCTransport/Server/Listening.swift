internal import Synchronization

/// The running server, or the error that kept it from starting, for tasks that wait for either. Thread-safe.
final class Listening: Sendable {
  private enum State {
    case waiting([CheckedContinuation<CServer, any Error>])
    case resolved(Result<CServer, any Error>)
  }
  private let state = Mutex(State.waiting([]))

  /// Stores the result of the start and ends every wait. May be called once.
  func resolve(_ result: Result<CServer, any Error>) {
    let waiters = state.withLock { state in
      guard case .waiting(let waiters) = state else { preconditionFailure("a server runs only once") }
      state = .resolved(result)
      return waiters
    }
    for waiter in waiters { waiter.resume(with: result) }
  }

  /// The running server. Reading the property waits until ``resolve(_:)`` was called.
  ///
  /// - Throws: the error with which the server failed to start.
  var server: CServer {
    get async throws {
      try await withCheckedThrowingContinuation { waiter in
        let result: Result<CServer, any Error>? = state.withLock { state in
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

  /// The running server. Nil before ``resolve(_:)`` was called, and when the server failed to start. Does not wait.
  var serverIfListening: CServer? {
    state.withLock { state in
      guard case .resolved(.success(let server)) = state else { return nil }
      return server
    }
  }
}
