internal import RPCCore

/// One RPC over HTTP. ``RequestMessages`` brings the client's messages, and a ``CallOutput`` sends the answers.
final class HTTPCall: TransportCall, Sendable {
  let progress = CallProgress()
  let context: CallContext
  let maximumRequestBytes: Int
  /// One element for each message that the handler waits for. The state machine allows one read at a time.
  let reads: AsyncStream<Void>
  private let wantsMessage: AsyncStream<Void>.Continuation
  private let output: any CallOutput

  init(context: CallContext, maximumRequestBytes: Int, output: any CallOutput) {
    self.context = context
    self.maximumRequestBytes = maximumRequestBytes
    self.output = output
    (reads, wantsMessage) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func startRead() { wantsMessage.yield() }

  func startWrite(_ message: LentMessage) { output.write(message) { [self] in writeDone($0) } }

  func send(_ ending: CallEnding) { output.finish(ending.status, ending.trailingMetadata) }

  func cut() { output.abort() }

  /// Cancels the call: the client is gone, or its deadline has passed.
  func cancel() {
    progress.cancel()
    // Nobody else ends the read: the body of a client that is gone may stay silent.
    progress.abandonRead()
  }
}

/// Sends the answers of one call in the form of the call's protocol.
protocol CallOutput: Sendable {
  /// Sends a message of a stream. Calls `completion` once, from any thread: with success when the kernel has the whole
  /// message, with an error when the connection is closed.
  func write(_ message: LentMessage, _ completion: @escaping WriteCompletion)
  /// Sends the end of the call. Called once, and not while a write is under way.
  func finish(_ status: CallStatus, _ trailingMetadata: Metadata)
  /// Closes the connection, because a write under way may never end. The write then fails.
  func abort()
  /// Returns when the kernel has the end of the call, or when the connection is closed.
  func waitForEnd() async
}
