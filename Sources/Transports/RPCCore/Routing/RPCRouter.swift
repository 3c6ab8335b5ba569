public import SwiftProtobuf

/// The methods that a server has, each with its handler. Several transports may serve the same router.
public struct RPCRouter: Sendable {
  /// Runs the handler of a call, but does not send the status.
  ///
  /// - Returns: the response of a method with a single response, or nil for a method with a stream of responses.
  typealias Handler = @Sendable (any CallTransport, CallContext) async throws -> LentMessage?

  /// A method with its handler and the size of its requests.
  package struct Route: Sendable {
    /// The method as the contract declares it.
    package let method: MethodDescriptor
    /// Whether the method's requests may be large.
    package let requests: RequestSize
    /// Converts the method's messages, for clients that send and receive JSON.
    package let json: JSONForms
    let handler: Handler
  }

  private var routes: [MethodName: Route] = [:]
  /// The full names of all services that have at least one method, sorted.
  public private(set) var services: [String] = []

  /// Makes a router without methods.
  public init() {}

  /// Adds a method with one request and one response. It is a programming error to add a method twice, or with a
  /// descriptor of another kind.
  ///
  /// - Parameters:
  ///   - method: the method as the contract declares it.
  ///   - requests: whether the method's requests may be large.
  ///   - handler: returns the response to a request, or throws.
  public mutating func unary<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (Q, CallContext) async throws -> A
  ) {
    add(method, .unary, requests, JSONForms(of: method.name, Q.self, A.self)) { call, context in
      try LentMessage(await handler(call.readOnly(method.name), context))
    }
  }

  /// Adds a method with one request and a stream of responses. It is a programming error to add a method twice, or with
  /// a descriptor of another kind.
  ///
  /// - Parameters:
  ///   - method: the method as the contract declares it.
  ///   - requests: whether the method's requests may be large.
  ///   - handler: writes the responses. The stream of responses ends when the handler returns or throws.
  public mutating func serverStreaming<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (Q, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    add(method, .serverStreaming, requests, JSONForms(of: method.name, Q.self, A.self)) { call, context in
      try await handler(call.readOnly(method.name), context, ResponseWriter(call))
      return nil
    }
  }

  /// Adds a method with a stream of requests and one response. It is a programming error to add a method twice, or with
  /// a descriptor of another kind.
  ///
  /// - Parameters:
  ///   - method: the method as the contract declares it.
  ///   - requests: whether the method's requests may be large.
  ///   - handler: reads the requests and returns the response, or throws.
  public mutating func clientStreaming<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (RequestStream<Q>, CallContext) async throws -> A
  ) {
    add(method, .clientStreaming, requests, JSONForms(of: method.name, Q.self, A.self)) { call, context in
      try LentMessage(await handler(RequestStream { try await call.readNext(method.name) }, context))
    }
  }

  /// Adds a method with a stream of requests and a stream of responses, which are independent of each other. It is a
  /// programming error to add a method twice, or with a descriptor of another kind.
  ///
  /// - Parameters:
  ///   - method: the method as the contract declares it.
  ///   - requests: whether the method's requests may be large.
  ///   - handler: reads the requests and writes the responses. The call ends when the handler returns or throws.
  public mutating func bidirectional<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (RequestStream<Q>, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    add(method, .bidirectional, requests, JSONForms(of: method.name, Q.self, A.self)) { call, context in
      try await handler(
        RequestStream { try await call.readNext(method.name) }, context, ResponseWriter(call))
      return nil
    }
  }

  /// Returns the method with its handler. Nil for a method that was not added.
  package func route(for name: MethodName) -> Route? { routes[name] }

  /// All methods that were added, in no particular order.
  package var methods: [MethodDescriptor] { routes.values.map(\.method) }

  private mutating func add(
    _ method: MethodDescriptor, _ kind: MethodDescriptor.Kind, _ requests: RequestSize, _ json: JSONForms,
    _ handler: @escaping Handler
  ) {
    precondition(method.kind == kind, "\(method.name) is \(method.kind), its handler is \(kind)")
    let route = Route(method: method, requests: requests, json: json, handler: handler)
    precondition(routes.updateValue(route, forKey: method.name) == nil, "\(method.name) has two handlers")
    if !services.contains(method.name.service) {
      services.append(method.name.service)
      services.sort()
    }
  }
}
