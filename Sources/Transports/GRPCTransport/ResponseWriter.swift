public import SwiftProtobuf

/// Sends the messages of a response stream. One write at a time: a second one begun meanwhile throws.
public final class ResponseWriter<Message: SwiftProtobuf.Message>: Sendable {
  private let call: any CallTransport

  init(_ call: any CallTransport) { self.call = call }

  /// Encodes and writes a message.
  ///
  /// Returns when gRPC has taken it and the client's kernel holds little unread, which is how a slow client slows the
  /// handler; the client need not have it yet.
  /// - Throws: `CancellationError` once the call or the task is cancelled.
  public func write(_ message: Message) async throws {
    try await call.write(LentMessage(message))
  }

  /// Writes a message that is already encoded, without copying its payload. As ``write(_:)`` otherwise.
  public func write(_ message: LentMessage) async throws {
    try await call.write(message)
  }

  /// Writes what `source` gives until it ends, each message once the one before is written, as by ``write(_:)``.
  ///
  /// The caller's task sleeps through all of it: whoever has the next message, or gRPC when it is ready for one, starts the
  /// write. No write may be under way besides.
  /// - Throws: the source's error; `CancellationError` once the call or the task is cancelled.
  public func write(from source: some MessageSource) async throws {
    try await MessagePump(from: source, to: call).run()
  }
}
