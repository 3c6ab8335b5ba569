internal import Locking

/// Moves messages from a source to a sink, such as a call, one after the other. The pump either waits for the source's
/// next message or waits for a write to end, and never for both. The thread that brings the message starts the write,
/// and the thread that ends the write asks the source again. A task in between would have to be woken for each step,
/// which would cost two changes of thread per frame and reader.
package final class MessagePump: Sendable {
  /// The function that asks the source for the next message, in a structure. `Locked` is generic code, which would
  /// otherwise allocate a wrapper around the closure each time the closure goes through the lock.
  private struct Question {
    let ask: @Sendable () -> Void
  }
  private struct State {
    /// The question for the source. Nil before the pump runs and after the pump has ended.
    var question: Question?
    var waiter: CheckedContinuation<Void, any Error>?
    var isCancelled = false
  }
  private let source: any MessageSource
  private let sink: any MessageSink
  private let state = Locked(State())

  /// Makes a pump that moves nothing before ``run()``.
  package init(from source: any MessageSource, to sink: any MessageSink) {
    self.source = source
    self.sink = sink
  }

  /// Moves messages until the source gives an error, which ends the stream, and then throws this error. May be called
  /// once.
  ///
  /// - Throws: the source's error, the error of a write that failed, or `CancellationError` once the task is cancelled.
  package func run() async throws {
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
    // The task may have been cancelled before the source knew the question. `onCancel` then found no question to
    // abandon, so the pump abandons the question here.
    if isCancelled { source.abandonNext() }
  }

  private func received(_ message: Result<LentMessage, any Error>) {
    switch message {
    case .failure(let error): end(error)
    case .success(let message):
      guard !isCancelled else { return end(CancellationError()) }
      sink.write(message) { [self] in written($0) }
      if isCancelled { sink.abandonWrite() }
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
    sink.abandonWrite()
  }

  private var isCancelled: Bool { state.withLock(\.isCancelled) }

  private func end(_ error: any Error) {
    // The question retains the pump and the source, so releasing the question may run code of the source. The pump
    // therefore releases the question after the lock is open again.
    let (question, waiter) = state.withLock { state in (state.question.take(), state.waiter.take()) }
    withExtendedLifetime(question) { waiter?.resume(throwing: error) }
  }
}

/// A source of messages for a stream whose messages no task waits for. ``ResponseWriter/write(from:)`` takes such a
/// source.
public protocol MessageSource: Sendable {
  /// Receives the next message, or the error that ends the stream.
  typealias Receiver = @Sendable (Result<LentMessage, any Error>) -> Void

  /// Returns a function that asks for the next message. Each time the function is called, the source calls `receiver`
  /// exactly once, immediately or later, on the thread that has the message. An error ends the stream. The returned
  /// function retains the source. A stream makes the function once, so that no message costs a closure.
  ///
  /// The transport writes the message on the thread that called `receiver`. The write does not block: it copies what
  /// fits into the socket's send buffer, and the transport's threads send the rest later.
  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void

  /// Gives an error to a receiver that still waits for a message. The source must not lose a message by this.
  func abandonNext()
}

/// Where a ``MessagePump`` moves messages to, one at a time: a call, or the body of an answer.
package protocol MessageSink: Sendable {
  /// Writes a message and returns without waiting for the end of the write. The transport calls `completion` exactly
  /// once, on any thread, possibly before this function returns.
  func write(_ message: LentMessage, completion: @escaping WriteCompletion)
  /// Ends the write under way for its caller: the transport calls the write's completion with an error. Does nothing
  /// when no write is under way. From any thread.
  func abandonWrite()
}
