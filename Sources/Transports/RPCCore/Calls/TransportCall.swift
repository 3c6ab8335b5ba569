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
  package func read() async throws -> (any ReceivedBytes)? { try await progress.read(startRead) }

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

  package func write(_ message: LentMessage, completion: @escaping WriteCompletion) {
    if progress.beginWrite(completion) { startWrite(message) }
  }

  package func abandonWrite() { progress.abandonWrite() }

  package func finish(_ status: CallStatus, trailingMetadata: Metadata) {
    let ending = CallEnding(status: status, trailingMetadata: trailingMetadata)
    switch progress.finish(ending) {
    case .sendFinish: send(ending)
    case .cancelCall: cut()
    case .none: break
    }
  }

  package var isCancelled: Bool { progress.isCancelled }

  package func waitForCancellation() async { await progress.waitForCancellation() }

  package func handled() { progress.handled() }

  /// The library has answered a write. Sends the ending that has waited for it.
  package func writeDone(_ result: Result<Void, any Error>) {
    if let ending = progress.writeDone(result) { send(ending) }
  }
}
