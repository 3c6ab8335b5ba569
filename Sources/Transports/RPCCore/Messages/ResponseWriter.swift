public import SwiftProtobuf

/// Writes the messages of a response stream, one at a time. A write throws when another write is under way.
public final class ResponseWriter<Message: SwiftProtobuf.Message>: Sendable {
  private enum Target {
    case call(any CallTransport)
    case function(@Sendable (LentMessage) async throws -> Void)
  }
  private let target: Target

  init(_ call: any CallTransport) { target = .call(call) }

  /// Makes a writer that gives each message to a function, for a handler that serves a part of another handler's
  /// stream. Such a writer takes no ``MessageSource``.
  ///
  /// - Parameter function: takes a message, and returns when the handler may write the next one.
  public init(to function: @escaping @Sendable (LentMessage) async throws -> Void) { target = .function(function) }

  /// Encodes and writes a message.
  ///
  /// Returns when the transport has taken the message and the connection has few bytes left to send, so that a slow
  /// client slows the handler down. The client may not have received the message by then.
  ///
  /// - Throws: `CancellationError` once the call or the task is cancelled, ``RPCError`` when another write is under
  ///   way, and SwiftProtobuf's error when the message cannot be encoded.
  public func write(_ message: Message) async throws {
    try await write(LentMessage(message))
  }

  /// Writes a message that is already encoded, without copying its payload. Returns and throws as ``write(_:)`` with an
  /// unencoded message does.
  public func write(_ message: LentMessage) async throws {
    switch target {
    case .call(let call): try await call.write(message)
    case .function(let function): try await function(message)
    }
  }

  /// Writes the messages of `source` until the source ends the stream with an error. The next write begins when the
  /// previous one has ended, as with ``write(_:)``.
  ///
  /// The caller's task sleeps the whole time. The thread that brings a message starts the write. If the source has the
  /// next message already when a write ends, the transport's thread starts the next write. No other write may be under
  /// way.
  ///
  /// - Throws: the source's error, or `CancellationError` once the call or the task is cancelled.
  public func write(from source: some MessageSource) async throws {
    guard case .call(let call) = target else { preconditionFailure("a function takes no message source") }
    try await MessagePump(from: source, to: call).run()
  }
}
