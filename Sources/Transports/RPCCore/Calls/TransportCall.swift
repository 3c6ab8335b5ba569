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

/// A function that the transport calls when a write has ended. The result is a success, or the error that the handler
/// gets.
package typealias WriteCompletion = @Sendable (Result<Void, any Error>) -> Void

/// Reads and writes the messages of one call as bytes. Each transport implements this protocol. ``RequestStream`` and
/// ``ResponseWriter``, which handlers use, are built on it.
package protocol CallTransport: MessageSink {
  /// Returns the client's next message, or nil after the last one.
  ///
  /// - Throws: `CancellationError` once the call or the task is cancelled, ``RPCError`` when another read is under way.
  func read() async throws -> (any ReceivedBytes)?
  /// Writes a message. Returns when the transport has taken the message and the connection has few bytes left to send,
  /// so that a slow client slows the handler down.
  ///
  /// - Throws: `CancellationError` once the call or the task is cancelled, ``RPCError`` when another write is under
  ///   way.
  func write(_ message: LentMessage) async throws
  /// The largest request that the call accepts, in bytes. A larger request fails with `RESOURCE_EXHAUSTED`
  /// `REQUEST_TOO_LARGE`.
  var maximumRequestBytes: Int { get }
}

/// A call that a client has made, with everything that ``CallExecutor`` needs to run and to end the call.
package protocol IncomingCall: CallTransport {
  /// The facts of the call: method, client, metadata, deadline.
  var context: CallContext { get }
  /// True once the client has cancelled the call, has disconnected, or has let the deadline pass.
  var isCancelled: Bool { get }
  /// Returns when the call is cancelled, or when the executor has called ``handled()``. The executor calls this
  /// function once.
  func waitForCancellation() async
  /// Makes ``waitForCancellation()`` return. The executor calls this function when the handler has returned.
  func handled()
  /// Sends the status and ends the call. The executor calls this function once, before it calls ``handled()``.
  func finish(_ status: CallStatus, trailingMetadata: Metadata)
}

/// The outcome of a call, which the transport sends to the client.
package enum CallStatus: Sendable {
  /// The handler succeeded. The value is the response of a method with a single response, and nil for a method with a
  /// stream of responses.
  case ok(LentMessage?)
  /// The call failed. The executor has already given the error an `ErrorInfo` with a domain.
  case error(RPCError)
}
