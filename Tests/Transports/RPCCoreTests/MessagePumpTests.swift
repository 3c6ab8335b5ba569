import RPCTestKit
import Synchronization
import Testing

@testable import RPCCore

/// The pump writes the messages of a source to a call, one at a time. The time limit of the suite ends a broken test,
/// which would wait for ever.
@Suite(.timeLimit(.minutes(1))) struct MessagePumpTests {
  private let source = FakeSource()
  private let call = FakeCall()

  /// Runs a pump while `body` gives the messages of its source and ends the writes of its call.
  ///
  /// - Returns: the error with which the pump ended.
  private func run(_ body: (Task<Void, any Error>) async throws -> Void) async throws -> any Error {
    let pump = MessagePump(from: source, to: call)
    let task = Task { try await pump.run() }
    _ = await source.asked.next()
    try await body(task)
    return try #require(await task.result.error)
  }

  /// The pump asks for the next message only when the previous one is written, so that a slow reader gets the newest
  /// frame. The pump ends with the source's error.
  @Test func asksForTheNextMessageAfterTheWrite() async throws {
    let error = try await run { _ in
      source.give(.success(.text("one")))
      #expect(call.written == ["one"])
      #expect(!source.isAsked)
      call.answer(.success(()))
      #expect(source.isAsked)
      source.give(.success(.text("two")))
      call.answer(.success(()))
      #expect(call.written == ["one", "two"])
      source.give(.failure(RPCError(.unavailable, "over")))
    }
    #expect((error as? RPCError)?.message == "over")
  }

  /// When a write fails, the pump ends with the error of the write and asks for no further message.
  @Test func failedWriteEndsThePump() async throws {
    let error = try await run { _ in
      source.give(.success(.text("one")))
      call.answer(.failure(CancellationError()))
    }
    #expect(error is CancellationError)
    #expect(!source.isAsked)
  }

  /// When the pump's task is cancelled while the source has no message, the pump ends at once.
  @Test func cancellingEndsTheWaitForAMessage() async throws {
    let error = try await run { $0.cancel() }
    #expect(error is CancellationError)
    #expect(call.written.isEmpty)
  }

  /// When the pump's task is cancelled during a write, the pump ends and does not ask for another message.
  @Test func cancellingEndsTheWaitForAWrite() async throws {
    let error = try await run { task in
      source.give(.success(.text("one")))
      task.cancel()
    }
    #expect(error is CancellationError)
    #expect(!source.isAsked)
  }
}

extension Result {
  fileprivate var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension LentMessage {
  fileprivate static func text(_ text: String) -> LentMessage {
    LentMessage(header: Array(text.utf8), payload: Nothing())
  }
}

/// A payload without bytes.
private final class Nothing: LentPayload {
  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}

/// A source whose messages the test gives.
private final class FakeSource: MessageSource {
  /// Has one element for each time that the pump has asked.
  let asked = Signal<Void>()
  private let receiver = Mutex<Receiver?>(nil)

  /// True while the pump waits for a message.
  var isAsked: Bool { receiver.withLock { $0 != nil } }

  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void {
    { [self] in
      self.receiver.withLock { $0 = receiver }
      asked.send()
    }
  }

  /// Gives the pump a message or an error, if the pump waits for one.
  func give(_ message: Result<LentMessage, any Error>) { receiver.withLock { $0.take() }?(message) }

  func abandonNext() { give(.failure(CancellationError())) }
}

/// A call whose writes end when the test wants.
private final class FakeCall: CallTransport {
  private let state = Mutex<(written: [String], completion: WriteCompletion?)>(([], nil))
  let maximumRequestBytes = 0

  var written: [String] { state.withLock(\.written) }

  func read() async throws -> (any ReceivedBytes)? { nil }

  func write(_ message: LentMessage) async throws { Issue.record("the pump called the write that waits") }

  func write(_ message: LentMessage, completion: @escaping WriteCompletion) {
    state.withLock { state in
      state.written.append(String(decoding: message.header, as: UTF8.self))
      state.completion = completion
    }
  }

  /// Ends the write under way with a result.
  func answer(_ result: Result<Void, any Error>) { state.withLock { $0.completion.take() }?(result) }

  func abandonWrite() { answer(.failure(CancellationError())) }
}
