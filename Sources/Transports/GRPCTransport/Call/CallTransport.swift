internal import SwiftProtobuf

typealias WriteCompletion = @Sendable (Result<Void, any Error>) -> Void

/// The bytes of one call, as handlers need them.
protocol CallTransport: Sendable {
  /// The next message, or nil after the last.
  func read() async throws -> ReceivedMessage?
  /// Returns when gRPC has taken the message and the client's kernel holds little unread.
  func write(_ message: LentMessage) async throws
  /// As ``write(_:)`` for who does not wait: `completion` is called once, on any thread, perhaps before this returns.
  func write(_ message: LentMessage, completion: @escaping WriteCompletion)
  /// Answers a write under way with a `CancellationError`.
  func abandonWrite()
  var maximumRequestBytes: Int { get }
}

extension CallTransport {
  /// The next message of a request stream.
  func readNext<Q: Message>(_ method: MethodDescriptor) async throws -> Q? {
    guard let message = try await read() else { return nil }
    guard message.count <= maximumRequestBytes else {
      throw RPCError(
        .resourceExhausted,
        "The request of \(message.count) bytes is over the limit of \(maximumRequestBytes) bytes.",
        reason: "REQUEST_TOO_LARGE", metadata: ["size": "\(message.count)", "limit": "\(maximumRequestBytes)"])
    }
    return try message.decode(method)
  }

  /// The request of a method that takes a single one.
  func readOnly<Q: Message>(_ method: MethodDescriptor) async throws -> Q {
    guard let request: Q = try await readNext(method) else {
      throw RPCError(
        .invalidArgument, "\(method) takes one request; the client sent none.", reason: "MISSING_REQUEST",
        metadata: ["method": method.description])
    }
    return request
  }
}
