public import SwiftProtobuf

/// Which handler serves which method. Every transport may serve the same router.
public struct RPCRouter: Sendable {
  /// Runs a call up to, but not including, its status.
  ///
  /// - Returns: the response of a method with a single one, else nil.
  typealias Handler = @Sendable (any CallTransport, CallContext) async throws -> LentMessage?

  /// A method with what serves it.
  package struct Route: Sendable {
    package let method: MethodDescriptor
    package let requests: RequestSize
    let handler: Handler
  }

  private var routes: [MethodName: Route] = [:]
  /// The services with at least one method, sorted.
  public private(set) var services: [String] = []

  public init() {}

  /// Adds a method with one request and one response.
  public mutating func unary<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (Q, CallContext) async throws -> A
  ) {
    add(method, .unary, requests) { call, context in
      try LentMessage(await handler(call.readOnly(method.name), context))
    }
  }

  /// Adds a method with one request and a stream of responses.
  public mutating func serverStreaming<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (Q, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    add(method, .serverStreaming, requests) { call, context in
      try await handler(call.readOnly(method.name), context, ResponseWriter(call))
      return nil
    }
  }

  /// Adds a method with a stream of requests and one response.
  public mutating func clientStreaming<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (RequestStream<Q>, CallContext) async throws -> A
  ) {
    add(method, .clientStreaming, requests) { call, context in
      try LentMessage(await handler(RequestStream { try await call.readNext(method.name) }, context))
    }
  }

  /// Adds a method with streams both ways, which are independent of each other.
  public mutating func bidirectional<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (RequestStream<Q>, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    add(method, .bidirectional, requests) { call, context in
      try await handler(
        RequestStream { try await call.readNext(method.name) }, context, ResponseWriter(call))
      return nil
    }
  }

  /// What serves a method; nil for one that was not added.
  package func route(for name: MethodName) -> Route? { routes[name] }

  /// The methods that were added, in no order.
  package var methods: [MethodDescriptor] { routes.values.map(\.method) }

  private mutating func add(
    _ method: MethodDescriptor, _ kind: MethodDescriptor.Kind, _ requests: RequestSize, _ handler: @escaping Handler
  ) {
    precondition(method.kind == kind, "\(method.name) is \(method.kind), its handler is \(kind)")
    let route = Route(method: method, requests: requests, handler: handler)
    precondition(routes.updateValue(route, forKey: method.name) == nil, "\(method.name) has two handlers")
    if !services.contains(method.name.service) {
      services.append(method.name.service)
      services.sort()
    }
  }
}
