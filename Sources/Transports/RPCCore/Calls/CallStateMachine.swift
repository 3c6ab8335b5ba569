/// The state of one call as a value, which decides which operation of the transport may start when. The state machine
/// neither locks nor calls the transport. Its owner, the transport's ``IncomingCall``, does both.
///
/// The state machine allows one read and one write at a time, allows one finish per call, and delays the finish while a
/// write is under way. `Reader` and `Writer` are the continuations of the handler's read and write.
package struct CallStateMachine<Reader, Writer, Message> {
  private enum Reading {
    case idle
    /// A read is under way. Nil when the handler's task was cancelled meanwhile. The message of this read then waits
    /// for the handler's next read.
    case reading(Reader?)
    /// A message has come and waits for the handler's next read.
    case buffered(Message)
    /// The client has sent its last message, or no message can come any more.
    case ended
  }

  private enum Writing {
    case idle
    /// A write is under way. Nil when the handler's task was cancelled meanwhile.
    case writing(Writer?)
  }

  private enum Ending {
    /// The handler runs.
    case running
    /// The handler has returned while a write is under way. The finish follows when the write has ended.
    case waitingForWrite
    /// The finish was sent.
    case finished
  }

  /// Makes the state of a call whose handler has not begun.
  package init() {}

  private var reading = Reading.idle
  private var writing = Writing.idle
  private var ending = Ending.running
  /// True once the transport has reported that the call is cancelled: the client cancelled the call or is gone, or the
  /// deadline has passed.
  package private(set) var isCancelled = false

  // MARK: Reading

  /// The step that follows a read of the handler.
  package enum ReadAction {
    /// The owner asks the transport for a message.
    case startRead
    /// The owner does not ask the transport. A read that an earlier reader gave up is still under way, and its message
    /// will go to this reader.
    case wait
    /// The message has come already, and the owner resumes the reader with the message.
    case deliver(Message)
    /// The client has sent its last message, and the owner resumes the reader with nil.
    case end
    /// The read is not allowed, and the owner resumes the reader with an error.
    case fail(CallFailure)
  }

  /// The handler wants to read a message. The state machine keeps the reader when it returns `.startRead` or `.wait`.
  /// Otherwise the owner resumes the reader at once.
  package mutating func read(_ reader: Reader) -> ReadAction {
    if isCancelled { return .fail(.cancelled) }
    switch (ending, reading) {
    case (.running, .idle):
      reading = .reading(reader)
      return .startRead
    case (.running, .reading(nil)):
      reading = .reading(reader)
      return .wait
    case (.running, .buffered(let message)):
      reading = .idle
      return .deliver(message)
    case (.running, .ended): return .end
    case (.running, .reading): return .fail(.busy)
    case (.waitingForWrite, _), (.finished, _): return .fail(.finished)
    }
  }

  /// The result of a read that the transport has answered.
  package enum ReadOutcome {
    case message(Message)
    case end
    case cancelled
  }

  /// The transport has answered a read.
  ///
  /// - Parameters:
  ///   - message: the message. Nil when there is none.
  ///   - broken: true when `message` is nil because the read failed. False when the client has sent its last message.
  /// - Returns: the reader that the owner resumes, and with which result. Nil when no reader waits.
  package mutating func readDone(_ message: Message?, broken: Bool) -> (reader: Reader, outcome: ReadOutcome)? {
    guard case .reading(let reader) = reading else { return nil }
    guard let message else {
      reading = .ended
      return reader.map { ($0, broken || isCancelled ? .cancelled : .end) }
    }
    guard let reader else {
      reading = .buffered(message)
      return nil
    }
    reading = .idle
    return (reader, .message(message))
  }

  /// The task of the reader was cancelled.
  ///
  /// - Returns: the reader that the owner resumes with a `CancellationError`. Nil when no reader waits.
  package mutating func abandonRead() -> Reader? {
    guard case .reading(let reader?) = reading else { return nil }
    reading = .reading(nil)
    return reader
  }

  // MARK: Writing

  /// The step that follows a write of the handler.
  package enum WriteAction {
    case startWrite
    case fail(CallFailure)
  }

  /// The handler wants to write a message. The state machine keeps the writer when it returns `.startWrite`. Otherwise
  /// the owner gives the error to the writer at once.
  package mutating func write(_ writer: Writer) -> WriteAction {
    if isCancelled { return .fail(.cancelled) }
    guard case .running = ending else { return .fail(.finished) }
    guard case .idle = writing else { return .fail(.busy) }
    writing = .writing(writer)
    return .startWrite
  }

  /// The transport has answered a write.
  ///
  /// - Returns: the writer that the owner resumes, or nil when no writer waits, and whether the owner must now send the
  ///   finish, because the handler returned during the write.
  package mutating func writeDone() -> (writer: Writer?, sendsFinish: Bool) {
    guard case .writing(let writer) = writing else { return (nil, false) }
    writing = .idle
    guard case .waitingForWrite = ending else { return (writer, false) }
    ending = .finished
    return (writer, true)
  }

  /// The task of the writer was cancelled.
  ///
  /// - Returns: the writer that the owner resumes with a `CancellationError`. Nil when no writer waits.
  package mutating func abandonWrite() -> Writer? {
    guard case .writing(let writer?) = writing else { return nil }
    writing = .writing(nil)
    return writer
  }

  // MARK: Ending

  /// The handler has returned.
  package mutating func finish() -> CallFinishAction {
    guard case .running = ending else { return .none }
    guard case .idle = writing else {
      ending = .waitingForWrite
      return .cancelCall
    }
    ending = .finished
    return .sendFinish
  }

  /// The call is cancelled. The transport answers the read and the write that are under way itself.
  package mutating func cancel() { isCancelled = true }
}

/// The step that follows the end of the handler.
package enum CallFinishAction {
  /// The owner sends the finish now.
  case sendFinish
  /// The owner cancels the call and sends the finish later. A write that the handler gave up is still under way, no
  /// finish may begin until the write has ended, and only cancelling the call is certain to end the write.
  case cancelCall
  /// The finish was requested earlier, and the owner does nothing.
  case none
}

/// The reason for which ``CallStateMachine`` refuses an operation.
package enum CallFailure: Equatable {
  /// The call is cancelled.
  case cancelled
  /// Another read or another write, respectively, is under way.
  case busy
  /// The handler has returned.
  case finished

  /// The error that the handler gets.
  package var error: any Error {
    switch self {
    case .cancelled: CancellationError()
    case .busy: RPCError(.internal, "The handler reads or writes twice at the same time.")
    case .finished: RPCError(.internal, "The handler has returned; its streams are closed.")
    }
  }
}

/// How a call ends: what the transport sends last.
package struct CallEnding: Sendable {
  /// The outcome.
  package let status: CallStatus
  /// The metadata after the last message.
  package let trailingMetadata: Metadata
}
