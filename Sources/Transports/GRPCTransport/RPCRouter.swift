public import SwiftProtobuf

/// How large the requests of a method may be.
public enum RequestSize: Sendable {
  /// ``GRPCServerConfiguration/maximumSmallRequestBytes``.
  case small
  /// ``GRPCServerConfiguration/maximumRequestBytes``.
  case large
}

/// Which handler serves which method.
public struct RPCRouter: Sendable {
  /// Runs a call up to, but not including, its status.
  ///
  /// - Returns: the response of a method with a single one, else nil.
  typealias Handler = @Sendable (any CallTransport, CallContext) async throws -> LentMessage?

  private var handlers: [String: Handler] = [:]
  /// Of the methods with large requests.
  private(set) var largePaths: Set<String> = []
  /// The services with at least one method, sorted.
  public private(set) var services: [String] = []

  public init() {}

  /// One request, one response.
  public mutating func unary<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (Q, CallContext) async throws -> A
  ) {
    add(method, requests) { call, context in
      try LentMessage(await handler(call.readOnly(method), context))
    }
  }

  /// One request, a stream of responses.
  public mutating func serverStreaming<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (Q, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    add(method, requests) { call, context in
      try await handler(call.readOnly(method), context, ResponseWriter(call))
      return nil
    }
  }

  /// A stream of requests, one response.
  public mutating func clientStreaming<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (RequestStream<Q>, CallContext) async throws -> A
  ) {
    add(method, requests) { call, context in
      try LentMessage(await handler(RequestStream { try await call.readNext(method) }, context))
    }
  }

  /// Streams both ways, independent of each other.
  public mutating func bidirectional<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (RequestStream<Q>, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    add(method, requests) { call, context in
      try await handler(
        RequestStream { try await call.readNext(method) }, context, ResponseWriter(call))
      return nil
    }
  }

  func handler(forPath path: String) -> Handler? { handlers[path] }

  private mutating func add(_ method: MethodDescriptor, _ requests: RequestSize, _ handler: @escaping Handler) {
    precondition(handlers.updateValue(handler, forKey: method.path) == nil, "\(method) has two handlers")
    if requests == .large { largePaths.insert(method.path) }
    if !services.contains(method.service) {
      services.append(method.service)
      services.sort()
    }
  }
}
