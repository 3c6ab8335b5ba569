public import SwiftProtobuf

/// The messages of a request stream. The stream reads a message from the client only when the handler asks for one, so
/// that a slow handler slows the client down. Only one iterator may be in use at a time.
///
/// Iterating throws `CancellationError` when the call is cancelled, and ``RPCError`` for a message that is too large or
/// that cannot be decoded.
public struct RequestStream<Message: SwiftProtobuf.Message>: AsyncSequence, Sendable {
  private let source: @Sendable () async throws -> Message?

  /// Makes a stream of the messages that `source` returns until `source` returns nil. The router makes streams, and so
  /// do tests of handlers.
  public init(_ source: @escaping @Sendable () async throws -> Message?) { self.source = source }

  /// Returns an iterator over the messages that nothing has read yet.
  public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

  /// Reads one message of the stream at a time.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: @Sendable () async throws -> Message?

    /// Returns the next message, or nil after the last one.
    public mutating func next() async throws -> Message? { try await source() }
  }
}
