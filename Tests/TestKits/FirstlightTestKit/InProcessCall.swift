internal import RPCCore
internal import RPCTestKit
internal import Synchronization

/// A call without a network. The client sends requests and takes responses while the call runs.
final class InProcessCall: IncomingCall {
  private struct State {
    var isCancelled = false
    var trailingMetadata: Metadata?
  }
  private let state = Mutex(State())
  private let requests = AsyncStream<[UInt8]>.makeStream()
  /// Ends when the call is cancelled or when its handler has returned.
  private let end = AsyncStream<Never>.makeStream()
  private let written: AsyncThrowingStream<[UInt8], any Error>.Continuation

  let context: CallContext
  let maximumRequestBytes: Int
  /// The encoded responses, in their order. Ends with the call, by the error of a call that failed.
  let responses: AsyncThrowingStream<[UInt8], any Error>

  init(_ context: CallContext, maximumRequestBytes: Int) {
    self.context = context
    self.maximumRequestBytes = maximumRequestBytes
    (responses, written) = AsyncThrowingStream.makeStream()
  }

  // MARK: For the client's side

  /// Sends a request.
  func send(_ request: [UInt8]) { requests.continuation.yield(request) }

  /// Says that there is no further request.
  func endRequests() { requests.continuation.finish() }

  /// Cancels the call, as a client does that goes away.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    requests.continuation.finish()
    end.continuation.finish()
  }

  /// The metadata that came with the status. Nil while the call runs.
  var trailingMetadata: Metadata? { state.withLock(\.trailingMetadata) }

  // MARK: For the executor and the handler

  func read() async throws -> (any ReceivedBytes)? {
    let request = await requests.stream.first { _ in true }
    if isCancelled || Task.isCancelled { throw CancellationError() }
    return request.map(SentBytes.init)
  }

  func write(_ message: LentMessage) async throws {
    try Task.checkCancellation()
    try take(message)
  }

  func write(_ message: LentMessage, completion: @escaping WriteCompletion) {
    completion(Result { try take(message) })
  }

  /// Does nothing, because no write is ever under way.
  func abandonWrite() {}

  var isCancelled: Bool { state.withLock(\.isCancelled) }

  func waitForCancellation() async { for await _ in end.stream {} }

  func handled() { end.continuation.finish() }

  func finish(_ status: CallStatus, trailingMetadata: Metadata) {
    state.withLock { $0.trailingMetadata = trailingMetadata }
    switch status {
    case .ok(let response):
      if let response { written.yield(response.bytes) }
      written.finish()
    case .error(let error): written.finish(throwing: error)
    }
  }

  private func take(_ message: LentMessage) throws {
    if isCancelled { throw CancellationError() }
    written.yield(message.bytes)
  }
}
