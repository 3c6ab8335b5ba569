internal import CaptureCore
internal import Locking

/// Opens the folder of recordings. After a failure, whoever needs the folder next lets the opener try again.
/// Thread-safe.
final class StoreOpener: Sendable {
  private typealias Attempt = Task<Result<RecordingStore, CaptureError>, Never>

  private struct State {
    /// The newest attempt.
    var attempt: Attempt?
    /// Whether the newest attempt failed.
    var hasFailed = false
    var isClosed = false
  }

  private let open: @Sendable () async -> Result<RecordingStore, CaptureError>
  private let state = Locked(State())

  /// Begins to open the folder.
  ///
  /// - Parameter open: opens the folder, or finds why there is none.
  init(_ open: @escaping @Sendable () async -> Result<RecordingStore, CaptureError>) {
    self.open = open
    _ = attempt()
  }

  /// The folder. Waits for the attempt that is being made.
  ///
  /// - Throws: why there is none.
  var store: RecordingStore { get async throws(CaptureError) { try await attempt().value.get() } }

  /// Closes the folder, if it is open. No attempt follows.
  func close() async {
    state.withLock { $0.isClosed = true }
    if case .success(let store) = await attempt().value { await store.close() }
  }

  private func attempt() -> Attempt {
    state.withLock { state in
      if let attempt = state.attempt, !state.hasFailed || state.isClosed { return attempt }
      let attempt = Attempt { [self] in
        let answer = await open()
        if case .failure = answer { self.state.withLock { $0.hasFailed = true } }
        return answer
      }
      (state.attempt, state.hasFailed) = (attempt, false)
      return attempt
    }
  }
}
