internal import Synchronization

/// Moves messages from a source to a call. Either the source is asked for the next one or a write is under way, never both;
/// what comes next starts on the thread that ends the other.
///
/// Waking a task for each step would cost two changes of thread for each frame and reader.
final class MessagePump: Sendable {
  private struct State {
    var waiter: CheckedContinuation<Void, any Error>?
    var isCancelled = false
  }
  private let source: any MessageSource
  private let call: any CallTransport
  private let state = Mutex(State())

  init(from source: any MessageSource, to call: any CallTransport) {
    self.source = source
    self.call = call
  }

  /// Returns with the source's end by throwing it. Once.
  func run() async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock { $0.waiter = continuation }
        ask()
      }
    } onCancel: {
      state.withLock { $0.isCancelled = true }
      abandon()
    }
  }

  private func ask() {
    guard !isCancelled else { return end(CancellationError()) }
    source.next { [self] in received($0) }
    // A cancellation before there was somebody to wake has found nobody.
    if isCancelled { source.abandonNext() }
  }

  private func received(_ message: Result<LentMessage, any Error>) {
    switch message {
    case .failure(let error): end(error)
    case .success(let message):
      guard !isCancelled else { return end(CancellationError()) }
      call.write(message) { [self] in written($0) }
      if isCancelled { call.abandonWrite() }
    }
  }

  private func written(_ result: Result<Void, any Error>) {
    switch result {
    case .success: ask()
    case .failure(let error): end(error)
    }
  }

  private func abandon() {
    source.abandonNext()
    call.abandonWrite()
  }

  private var isCancelled: Bool { state.withLock(\.isCancelled) }

  private func end(_ error: any Error) {
    state.withLock { $0.waiter.take() }?.resume(throwing: error)
  }
}
