import Testing

@testable import GRPCTransport

struct CallStateMachineTests {
  private typealias Machine = CallStateMachine<String, String, Int>

  // MARK: Reading

  @Test func readIsAnsweredByTheMessage() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.readDone(7, broken: false) == ("a", .message(7)))
    #expect(machine.read("b") == .startRead)
  }

  @Test func secondReaderIsRefused() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.read("b") == .fail(.busy))
  }

  @Test func endOfStreamIsRemembered() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.readDone(nil, broken: false) == ("a", .end))
    #expect(machine.read("b") == .end)
  }

  @Test func brokenCallIsACancellationNotAnEnd() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.readDone(nil, broken: true) == ("a", .cancelled))
  }

  @Test func messageOfAnAbandonedReadGoesToTheNextReader() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.abandonRead() == "a")
    #expect(machine.abandonRead() == nil)
    #expect(machine.readDone(7, broken: false) == nil)
    #expect(machine.read("b") == .deliver(7))
    #expect(machine.read("c") == .startRead)
  }

  @Test func readerTakesOverAnAbandonedReadWithoutASecondOne() {
    var machine = Machine()
    #expect(machine.read("a") == .startRead)
    #expect(machine.abandonRead() == "a")
    #expect(machine.read("b") == .wait)
    #expect(machine.readDone(7, broken: false) == ("b", .message(7)))
  }

  // MARK: Writing

  @Test func writeIsAnswered() {
    var machine = Machine()
    #expect(machine.write("a") == .startWrite)
    #expect(machine.writeDone() == ("a", false))
    #expect(machine.write("b") == .startWrite)
  }

  @Test func secondWriterIsRefused() {
    var machine = Machine()
    #expect(machine.write("a") == .startWrite)
    #expect(machine.write("b") == .fail(.busy))
  }

  @Test func abandonedWriteStillBlocksTheNext() {
    var machine = Machine()
    #expect(machine.write("a") == .startWrite)
    #expect(machine.abandonWrite() == "a")
    #expect(machine.write("b") == .fail(.busy))
    #expect(machine.writeDone() == (nil, false))
    #expect(machine.write("c") == .startWrite)
  }

  // MARK: Ending

  @Test func finishIsSentOnce() {
    var machine = Machine()
    #expect(machine.finish() == .sendFinish)
    #expect(machine.finish() == .none)
    #expect(machine.write("a") == .fail(.finished))
    #expect(machine.read("a") == .fail(.finished))
  }

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

  @Test func cancelledCallIsStillFinished() {
    var machine = Machine()
    machine.cancel()
    #expect(machine.isCancelled)
    #expect(machine.write("a") == .fail(.cancelled))
    #expect(machine.read("a") == .fail(.cancelled))
    #expect(machine.finish() == .sendFinish)
  }

  @Test func readUnderWayAtCancellationIsACancellation() {
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
