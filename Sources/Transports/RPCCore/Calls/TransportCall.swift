/// A call of a transport over a network. The transport does the operations of its library, and ``CallProgress`` decides
/// when which of them may begin.
package protocol TransportCall: IncomingCall {
  /// The state of the call, which the transport makes with the call.
  var progress: CallProgress { get }
  /// Asks the library for the client's next message. The transport answers by ``CallProgress/readDone(_:)``.
  func startRead()
  /// Begins to write a message. The transport answers by ``writeDone(_:)``.
  func startWrite(_ message: LentMessage)
  /// Sends the status and ends the call.
  func send(_ ending: CallEnding)
  /// Makes a write end that is under way and may never end by itself.
  func cut()
}

extension TransportCall {
  /// Reads by ``CallProgress/read(_:)``.
  package func read() async throws -> (any ReceivedBytes)? { try await progress.read(startRead) }

  /// Writes a message, and waits until the library has taken it.
  package func write(_ message: LentMessage) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { writer in
        write(message) { writer.resume(with: $0) }
        if Task.isCancelled { abandonWrite() }
      }
    } onCancel: {
      abandonWrite()
    }
  }

  /// Begins a write if the call is in a state to write.
  package func write(_ message: LentMessage, completion: @escaping WriteCompletion) {
    if progress.beginWrite(completion) { startWrite(message) }
  }

  /// Ends the wait for a write under way.
  package func abandonWrite() { progress.abandonWrite() }

  /// Sends the ending now, or when the write under way has ended.
  package func finish(_ status: CallStatus, trailingMetadata: Metadata) {
    let ending = CallEnding(status: status, trailingMetadata: trailingMetadata)
    switch progress.finish(ending) {
    case .sendFinish: send(ending)
    case .cancelCall: cut()
    case .none: break
    }
  }

  /// Whether the client or its deadline has ended the call.
  package var isCancelled: Bool { progress.isCancelled }

  /// Returns when the call is cancelled or its handler has returned.
  package func waitForCancellation() async { await progress.waitForCancellation() }

  /// Says that the handler has returned.
  package func handled() { progress.handled() }

  /// The library has answered a write. Sends the ending that has waited for it.
  package func writeDone(_ result: Result<Void, any Error>) {
    if let ending = progress.writeDone(result) { send(ending) }
  }
}
