internal import Locking

/// A server that listens, or the error that kept it from starting, for tasks that wait for either. Thread-safe.
package final class Listening<Server: Sendable>: Sendable {
  private let result = Event<Result<Server, any Error>>()

  /// Makes the state of a server that does not listen yet.
  package init() {}

  /// Stores the result of the start and ends every wait. May be called once.
  package func resolve(_ result: Result<Server, any Error>) {
    let isFirst = self.result.happen(result)
    precondition(isFirst, "a server runs only once")
  }

  /// The server. Reading the property waits until ``resolve(_:)`` was called.
  ///
  /// - Throws: the error with which the server failed to start.
  package var server: Server {
    get async throws { try await result.value.get() }
  }

  /// The server. Nil before ``resolve(_:)`` was called, and when the server failed to start. Does not wait.
  package var serverIfListening: Server? { try? result.valueIfHappened?.get() }
}
