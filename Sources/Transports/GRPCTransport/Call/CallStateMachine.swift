/// The life of one call as a value: what may be asked of gRPC when. It neither locks nor calls; its owner does both.
///
/// Rules it keeps: one read and one write at a time, one finish ever, and no finish while a write is under way.
struct CallStateMachine<Reader, Writer, Message> {
  private enum Reading {
    case idle
    /// A read is under way; nil when its reader has given up, and the message is then kept for the next one.
    case reading(Reader?)
    case buffered(Message)
    /// The client has sent its last message.
    case ended
  }

  private enum Writing {
    case idle
    /// A write is under way; nil when its writer has given up.
    case writing(Writer?)
  }

  private enum Ending {
    case running
    /// Finish as soon as the write is over.
    case waitingForWrite
    case finished
  }

  private var reading = Reading.idle
  private var writing = Writing.idle
  private var ending = Ending.running
  /// gRPC has said that the call is over for the client.
  private(set) var isCancelled = false

  // MARK: Reading

  enum ReadAction {
    case startRead
    /// An earlier reader's read is still under way and will do.
    case wait
    case deliver(Message)
    case end
    case fail(CallFailure)
  }

  /// The handler wants a message. With `.startRead` and `.wait` the reader is kept, else the caller resumes it.
  mutating func read(_ reader: Reader) -> ReadAction {
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

  enum ReadOutcome {
    case message(Message)
    case end
    case cancelled
  }

  /// gRPC has answered a read.
  ///
  /// - Returns: whom to resume, and with what.
  mutating func readDone(_ message: Message?, broken: Bool) -> (reader: Reader, outcome: ReadOutcome)? {
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

  /// The reader's task was cancelled.
  ///
  /// - Returns: whom to resume with a cancellation.
  mutating func abandonRead() -> Reader? {
    guard case .reading(let reader?) = reading else { return nil }
    reading = .reading(nil)
    return reader
  }

  // MARK: Writing

  enum WriteAction {
    case startWrite
    case fail(CallFailure)
  }

  /// The handler wants to write. With `.startWrite` the writer is kept, else it is for the caller to resume.
  mutating func write(_ writer: Writer) -> WriteAction {
    if isCancelled { return .fail(.cancelled) }
    guard case .running = ending else { return .fail(.finished) }
    guard case .idle = writing else { return .fail(.busy) }
    writing = .writing(writer)
    return .startWrite
  }

  /// gRPC has answered a write.
  ///
  /// - Returns: whom to resume, and whether the finish that waited is due now.
  mutating func writeDone() -> (writer: Writer?, sendsFinish: Bool) {
    guard case .writing(let writer) = writing else { return (nil, false) }
    writing = .idle
    guard case .waitingForWrite = ending else { return (writer, false) }
    ending = .finished
    return (writer, true)
  }

  /// The writer's task was cancelled.
  ///
  /// - Returns: whom to resume with a cancellation.
  mutating func abandonWrite() -> Writer? {
    guard case .writing(let writer?) = writing else { return nil }
    writing = .writing(nil)
    return writer
  }

  // MARK: Ending

  enum FinishAction {
    case sendFinish
    /// An abandoned write is still under way: only breaking the call off ends it for sure.
    case cancelCall
    case none
  }

  /// The handler is done.
  mutating func finish() -> FinishAction {
    guard case .running = ending else { return .none }
    guard case .idle = writing else {
      ending = .waitingForWrite
      return .cancelCall
    }
    ending = .finished
    return .sendFinish
  }

  /// gRPC says that the client is gone. Reads and writes under way are answered by gRPC.
  mutating func cancel() { isCancelled = true }
}

/// Why an operation was not even started.
enum CallFailure: Equatable {
  case cancelled
  /// Another operation of the same kind is under way.
  case busy
  /// The handler has returned.
  case finished
}
