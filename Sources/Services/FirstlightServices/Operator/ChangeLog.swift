internal import CaptureCore
internal import Logging
internal import RPCCore
internal import SwiftProtobuf
internal import Locking
internal import SystemClocks

/// Logs the calls that change something for other clients, each with its peer, so that an operator can find out who
/// stopped a session. Of each method, so many calls a minute are logged as ``LogAllowance`` says. Thread-safe.
final class ChangeLog: Sendable {
  private let logger: Logger
  private let allowances = Locked<[MethodName: LogAllowance]>([:])

  /// Makes a log that writes to `logger`.
  init(_ logger: Logger) { self.logger = logger }

  /// Notes that a call succeeded.
  ///
  /// - Parameter resource: the name of what the call changed.
  func tell(_ context: CallContext, _ resource: String) {
    log(.info, "a client changed something", context, ["resource": "\(resource)"])
  }

  /// Notes that a call failed. The log has only calls that were refused because the caller is no operator; all others
  /// changed nothing, and ``CallLog`` has them.
  func tell(_ context: CallContext, _ resource: String, _ error: any Error) {
    guard let error = error as? CaptureError, [.operatorRequired, .sessionDeclared].contains(error.reason) else {
      return
    }
    let metadata: Logger.Metadata = ["resource": "\(resource)", "error.type": "\(error.reason.rawValue)"]
    log(.notice, "a client may not change what the operator declared", context, metadata)
  }

  private func log(
    _ level: Logger.Level, _ message: Logger.Message, _ context: CallContext, _ metadata: Logger.Metadata
  ) {
    let omitted = allowances.withLock { $0[context.method, default: LogAllowance()].take(at: .now()) }
    guard let omitted else { return }
    var metadata = metadata
    metadata["rpc.method"] = "\(context.method.path)"
    metadata["network.peer"] = "\(context.peer)"
    if let process = context.peerCredentials {
      metadata["network.peer"] = "\(context.peer) (process \(process.processID), user \(process.userID))"
    }
    if omitted > 0 { metadata["omitted"] = "\(omitted)" }
    logger.log(level: level, message, metadata: metadata)
  }
}

/// A request of a method that changes something for other clients.
protocol ChangeRequest: Message {
  /// The name of what changes; nil when this request changes nothing.
  var changedResource: String? { get }
}

/// A response that tells the name of what a method made.
protocol ChangeResponse: Message {
  /// The name.
  var madeResource: String { get }
}

extension RPCRouter {
  /// Adds a method as ``unary(_:requests:_:)`` does, whose calls go into a log.
  mutating func unary<Q: ChangeRequest, A: Message>(
    _ method: MethodDescriptor, loggedBy log: ChangeLog,
    _ handler: @escaping @Sendable (Q, CallContext) async throws -> A
  ) {
    unary(method) { (request: Q, context) async throws -> A in
      do {
        let answer = try await handler(request, context)
        if let changed = request.changedResource {
          log.tell(context, (answer as? any ChangeResponse)?.madeResource ?? changed)
        }
        return answer
      } catch {
        if let changed = request.changedResource { log.tell(context, changed, error) }
        throw error
      }
    }
  }

  /// Adds a method as ``serverStreaming(_:requests:_:)`` does, whose calls go into a log when they begin.
  mutating func serverStreaming<Q: ChangeRequest, A: Message>(
    _ method: MethodDescriptor, loggedBy log: ChangeLog,
    _ handler: @escaping @Sendable (Q, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    serverStreaming(method) { (request: Q, context, writer: ResponseWriter<A>) async throws in
      if let changed = request.changedResource { log.tell(context, changed) }
      try await handler(request, context, writer)
    }
  }
}
