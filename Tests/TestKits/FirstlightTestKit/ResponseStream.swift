package import RPCCore
package import SwiftProtobuf

/// The client's side of a call that streams. The sequence of its responses ends with the call, by an
/// ``RPCCore/RPCError`` when the call failed. The daemon cancels the call when the test ends.
package struct ResponseStream<Response: Message>: AsyncSequence {
  private let call: InProcessCall

  init(_ call: InProcessCall) { self.call = call }

  /// Sends a further request of a call that streams requests.
  ///
  /// - Throws: SwiftProtobuf's error when the request cannot be encoded.
  package func send(_ request: some Message) throws { call.send(try request.serializedBytes()) }

  /// Says that there is no further request.
  package func endRequests() { call.endRequests() }

  /// Cancels the call, as a client does that goes away.
  package func cancel() { call.cancel() }

  /// The next response; nil when the call has ended. Only one task at a time may wait.
  ///
  /// - Throws: the error of a call that failed.
  package func next() async throws -> Response? {
    var iterator = makeAsyncIterator()
    return try await iterator.next()
  }

  /// The responses up to the first one for which a condition holds.
  ///
  /// - Throws: the error of a call that failed, and ``StreamEnded`` when no response fulfils the condition.
  package func through(_ condition: (Response) throws -> Bool) async throws -> [Response] {
    var responses: [Response] = []
    for try await response in self {
      responses.append(response)
      if try condition(response) { return responses }
    }
    throw StreamEnded(description: "The stream ended after \(responses.count) responses: \(responses)")
  }

  /// The next responses.
  ///
  /// - Throws: the error of a call that failed, and ``StreamEnded`` when there are fewer.
  package func take(_ count: Int) async throws -> [Response] {
    guard count > 0 else { return [] }
    var left = count
    return try await through { _ in
      left -= 1
      return left == 0
    }
  }

  /// The error that ends the call.
  ///
  /// - Throws: ``StreamEnded`` when the call succeeds.
  package func error() async throws -> RPCError {
    do {
      for try await _ in self {}
    } catch let error as RPCError {
      return error
    }
    throw StreamEnded(description: "The call succeeded.")
  }

  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: call.responses.makeAsyncIterator()) }

  /// Decodes the responses.
  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var bytes: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator

    package mutating func next() async throws -> Response? {
      try await bytes.next().map { try Response(serializedBytes: $0) }
    }
  }
}

/// A stream ended before it brought what a test waits for.
package struct StreamEnded: Error, CustomStringConvertible {
  package let description: String

  /// Makes the error with what the stream brought.
  package init(description: String) { self.description = description }
}
