internal import Synchronization

/// Moves messages from a source to a call. Either the source is asked for the next one or a write is under way, never both;
/// what comes next starts on the thread that ends the other.
///
/// Waking a task for each step would cost two changes of thread for each frame and reader.
final class MessagePump: Sendable {
  /// A structure: generic code, as the lock is, wraps a bare closure anew each time it passes.
  private struct Question {
    let ask: @Sendable () -> Void
  }
  private struct State {
    /// Nil before the beginning and after the end.
    var question: Question?
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
        let question = Question(ask: source.asking { [self] in received($0) })
        state.withLock { state in
          state.waiter = continuation
          state.question = question
        }
        ask()
      }
    } onCancel: {
      state.withLock { $0.isCancelled = true }
      abandon()
    }
  }

  private func ask() {
    guard !isCancelled else { return end(CancellationError()) }
    state.withLock(\.question)?.ask()
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
    // The question holds the pump. It goes outside of the lock: with it may go the source, which may do anything.
    let (question, waiter) = state.withLock { state in (state.question.take(), state.waiter.take()) }
    withExtendedLifetime(question) { waiter?.resume(throwing: error) }
  }
}
