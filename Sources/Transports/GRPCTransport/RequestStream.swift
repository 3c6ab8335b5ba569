public import SwiftProtobuf

/// The messages of a request stream. One iterator at a time; a message is read from the client when asked for, so that
/// a slow handler slows the client.
///
/// Iterating throws `CancellationError` when the client is gone, and ``RPCError`` for a message that is too large or
/// cannot be decoded.
public struct RequestStream<Message: SwiftProtobuf.Message>: AsyncSequence, Sendable {
  private let source: @Sendable () async throws -> Message?

  /// For the server, and for tests of handlers.
  public init(_ source: @escaping @Sendable () async throws -> Message?) { self.source = source }

  public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: @Sendable () async throws -> Message?

    public mutating func next() async throws -> Message? { try await source() }
  }
}
