internal import Synchronization

/// Moves messages from a source to a call. Either the pump has asked the source for the next message or a write is
/// under way, never both. The thread that ends the one starts the other, because waking a task for each step would cost
/// two changes of thread for each frame and reader.
final class MessagePump: Sendable {
  /// A structure around a closure: the lock is generic code, which would wrap a bare closure anew each time it passes
  /// one.
  private struct Question {
    let ask: @Sendable () -> Void
  }
  private struct State {
    /// Asks the source. Nil before the pump runs and after it has ended.
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

  /// Moves messages until the source ends, and then throws the source's error. May be called once.
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
    // A cancellation that came before the source had the question did not find it.
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
    // The question holds the pump and the source. It is released outside of the lock, because the source may then run
    // code of its own.
    let (question, waiter) = state.withLock { state in (state.question.take(), state.waiter.take()) }
    withExtendedLifetime(question) { waiter?.resume(throwing: error) }
  }
}
