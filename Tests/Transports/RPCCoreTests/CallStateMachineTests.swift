import Testing

@testable import RPCCore

/// These tests check which operation of a transport may start when. gRPC allows its operations only in a certain order,
/// and handlers read, write and return in any order.
struct CallStateMachineTests {
  private typealias Machine = CallStateMachine<String, String, Int>

  // MARK: Reading

  /// A read starts an operation of gRPC, and its message goes to the reader that waits. Another read may follow.
  @Test func readIsAnsweredByTheMessage() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.readDone(7, broken: false) == ("a", .message(7)))
    #expect(machine.read("b") == .startRead)
  }

  /// A second read while one is under way is an error of the handler, because gRPC allows only one.
  @Test func secondReaderIsRefused() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.read("b") == .fail(.busy))
  }

  /// After the client's last message, every further read ends at once without an operation of gRPC.
  @Test func endOfStreamIsRemembered() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.readDone(nil, broken: false) == ("a", .end))
    #expect(machine.read("b") == .end)
  }

  /// When a call breaks, the reader gets a cancellation. The handler could otherwise take half a stream for a whole
  /// one.
  @Test func brokenCallIsACancellationNotAnEnd() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.readDone(nil, broken: true) == ("a", .cancelled))
  }

  /// When the reader's task is cancelled, the message that then comes waits for the next reader. No message is lost.
  @Test func messageOfAnAbandonedReadGoesToTheNextReader() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.abandonRead() == "a")
    #expect(machine.abandonRead() == nil)
    #expect(machine.readDone(7, broken: false) == nil)
    #expect(machine.read("b") == .deliver(7))
    #expect(machine.read("c") == .startRead)
  }

  /// When the reader's task is cancelled, the next reader waits for the same operation of gRPC, because gRPC allows
  /// only one read at a time.
  @Test func readerTakesOverAnAbandonedReadWithoutASecondOne() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.abandonRead() == "a")
    #expect(machine.read("b") == .wait)
    #expect(machine.readDone(7, broken: false) == ("b", .message(7)))
  }

  // MARK: Writing

  /// A write ends when gRPC answers the operation. Another write may follow.
  @Test func writeIsAnswered() {
    var machine = Machine()
    #expect(machine.write("a") == .startWrite)
    #expect(machine.writeDone() == ("a", false))
    #expect(machine.write("b") == .startWrite)
  }

  /// A second write while one is under way is an error of the handler, because gRPC allows only one.
  @Test func secondWriterIsRefused() {
    var machine = Machine()
    #expect(machine.write("a") == .startWrite)
    #expect(machine.write("b") == .fail(.busy))
  }

  /// When the writer's task is cancelled, the next write is refused until gRPC has answered the first one.
  @Test func abandonedWriteStillBlocksTheNext() {
    var machine = Machine()
    #expect(machine.write("a") == .startWrite)
    #expect(machine.abandonWrite() == "a")
    #expect(machine.write("b") == .fail(.busy))
    #expect(machine.writeDone() == (nil, false))
    #expect(machine.write("c") == .startWrite)
  }

  // MARK: Ending

  /// Only the first finish is sent, and no read or write may follow.
  @Test func finishIsSentOnce() {
    var machine = Machine()
    #expect(machine.finish() == .sendFinish)
    #expect(machine.finish() == .none)
    #expect(machine.write("a") == .fail(.finished))
    #expect(machine.read("a") == .fail(.finished))
  }

  /// When the handler returns while a write that it gave up is under way, the call is cancelled and the finish is sent
  /// after the write has ended.
  @Test func finishWaitsForAnAbandonedWrite() {
    var machine = Machine()
    #expect(machine.write("a") == .startWrite)
    #expect(machine.abandonWrite() == "a")
    #expect(machine.finish() == .cancelCall)
    #expect(machine.finish() == .none)
    machine.cancel()
    #expect(machine.writeDone() == (nil, true))
    #expect(machine.writeDone() == (nil, false))
  }

  /// The server must also finish a call that is cancelled, because gRPC frees the call only after the finish.
  @Test func cancelledCallIsStillFinished() {
    var machine = Machine()
    machine.cancel()
    #expect(machine.isCancelled)
    #expect(machine.write("a") == .fail(.cancelled))
    #expect(machine.read("a") == .fail(.cancelled))
    #expect(machine.finish() == .sendFinish)
  }

  /// A read that is under way when the call is cancelled gets a cancellation, and not the end of the stream.
  @Test func readUnderWayIsCancelledWithTheCall() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    machine.cancel()
    #expect(machine.readDone(nil, broken: false) == ("a", .cancelled))
  }
}

extension CallStateMachine.ReadAction: Equatable where Message: Equatable {
  static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.startRead, .startRead), (.wait, .wait), (.end, .end): true
    case (.deliver(let a), .deliver(let b)): a == b
    case (.fail(let a), .fail(let b)): a == b
    default: false
    }
  }
}

extension CallStateMachine.ReadOutcome: Equatable where Message: Equatable {
  static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.end, .end), (.cancelled, .cancelled): true
    case (.message(let a), .message(let b)): a == b
    default: false
    }
  }
}

extension CallStateMachine.WriteAction: Equatable {
  static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.startWrite, .startWrite): true
    case (.fail(let a), .fail(let b)): a == b
    default: false
    }
  }
}

private typealias Machine = CallStateMachine<String, String, Int>

private func == (a: (reader: String, outcome: Machine.ReadOutcome)?, b: (String, Machine.ReadOutcome)) -> Bool {
  a.map { $0.reader == b.0 && $0.outcome == b.1 } ?? false
}
