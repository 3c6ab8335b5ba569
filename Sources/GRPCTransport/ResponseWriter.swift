public import SwiftProtobuf

/// Sends the messages of a response stream. One write at a time: a second one begun meanwhile throws.
public final class ResponseWriter<Message: SwiftProtobuf.Message>: Sendable {
  private let sink: @Sendable (LentMessage) async throws -> Void

  /// For the server, and for tests of handlers.
  public init(_ sink: @escaping @Sendable (LentMessage) async throws -> Void) { self.sink = sink }

  /// Encodes and writes a message.
  ///
  /// Returns when gRPC has taken it and the client's kernel holds little unread, which is how a slow client slows the
  /// handler; the client need not have it yet.
  /// - Throws: `CancellationError` once the call or the task is cancelled.
  public func write(_ message: Message) async throws {
    try await sink(SerializedMessage.encode(message))
  }

  /// Writes a message that is already encoded, without copying its payload. As ``write(_:)`` otherwise.
  public func write(_ message: LentMessage) async throws {
    try await sink(message)
  }
}
