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
