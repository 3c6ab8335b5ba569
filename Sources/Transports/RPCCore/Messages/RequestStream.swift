public import SwiftProtobuf

/// The messages of a request stream, for one iterator at a time. The stream reads a message from the client when the
/// handler asks for it, so that a slow handler slows the client.
///
/// Iterating throws `CancellationError` when the client is gone, and ``RPCError`` for a message that is too large or
/// cannot be decoded.
public struct RequestStream<Message: SwiftProtobuf.Message>: AsyncSequence, Sendable {
  private let source: @Sendable () async throws -> Message?

  /// The router makes streams, and so do tests of handlers.
  public init(_ source: @escaping @Sendable () async throws -> Message?) { self.source = source }

  public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: @Sendable () async throws -> Message?

    public mutating func next() async throws -> Message? { try await source() }
  }
}
