public import SwiftProtobuf

/// Sends the messages of a response stream, one at a time: a write throws when another one is under way.
public final class ResponseWriter<Message: SwiftProtobuf.Message>: Sendable {
  private let call: any CallTransport

  init(_ call: any CallTransport) { self.call = call }

  /// Encodes and writes a message.
  ///
  /// Returns when the transport has taken the message and little of the connection is unsent, so that a slow client
  /// slows the handler. The client need not have the message yet.
  /// - Throws: `CancellationError` once the call or the task is cancelled.
  public func write(_ message: Message) async throws {
    try await call.write(LentMessage(message))
  }

  /// Writes a message that is already encoded, without copying its payload. Waits and throws as the other `write` does.
  public func write(_ message: LentMessage) async throws {
    try await call.write(message)
  }

  /// Writes what `source` gives until it ends. Each message is written once the one before is, as by ``write(_:)``.
  ///
  /// The caller's task sleeps through all of it. The thread that has the next message starts the write, or the
  /// transport's thread when the transport is ready for one. No other write may be under way.
  /// - Throws: the source's error; `CancellationError` once the call or the task is cancelled.
  public func write(from source: some MessageSource) async throws {
    try await MessagePump(from: source, to: call).run()
  }
}
