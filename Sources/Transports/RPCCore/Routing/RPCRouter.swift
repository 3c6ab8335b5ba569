internal import Locking
public import SwiftProtobuf
internal import Synchronization

/// The methods that a server has, each with its handler. Several transports may serve the same router. Every call
/// passes the access check before its handler runs.
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
  private let access: MethodAccess?
  /// The full names of all services that have at least one method, sorted.
  public private(set) var services: [String] = []

  /// Makes a router without methods.
  ///
  /// - Parameter access: checks every call. It must have a rule for each method that is added. Nil for a router whose
  ///   methods everybody may call, as tests of transports have it.
  public init(access: MethodAccess?) { self.access = access }

  /// Adds a method with one request and one response. It is a programming error to add a method twice, with a
  /// descriptor of another kind, or without an access rule.
  ///
  /// - Parameters:
  ///   - method: the method as the contract declares it.
  ///   - requests: whether the method's requests may be large.
  ///   - onRefusal: is told of each call that the access check refuses, with the error.
  ///   - handler: returns the response to a request, or throws.
  public mutating func unary<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    onRefusal: @escaping @Sendable (Q, CallContext, any Error) -> Void = { _, _, _ in },
    _ handler: @escaping @Sendable (Q, CallContext) async throws -> A
  ) {
    let gate: MethodGate<Q>? = access?.gate(of: method)
    add(method, .unary, requests, JSONForms(of: method.name, Q.self, A.self)) { call, context in
      let request: Q = try await call.readOnly(method.name)
      do { try await gate?.check(context.principal, request) } catch {
        onRefusal(request, context, error)
        throw error
      }
      return try LentMessage(await handler(request, context))
    }
  }

  /// Adds a method with one request and a stream of responses. It is a programming error to add a method twice, with a
  /// descriptor of another kind, or without an access rule.
  ///
  /// - Parameters:
  ///   - method: the method as the contract declares it.
  ///   - requests: whether the method's requests may be large.
  ///   - handler: writes the responses. The stream of responses ends when the handler returns or throws.
  public mutating func serverStreaming<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (Q, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    let gate: MethodGate<Q>? = access?.gate(of: method)
    add(method, .serverStreaming, requests, JSONForms(of: method.name, Q.self, A.self)) { call, context in
      let request: Q = try await call.readOnly(method.name)
      try await gate?.check(context.principal, request)
      try await handler(request, context, ResponseWriter(call))
      return nil
    }
  }

  /// Adds a method with a stream of requests and one response. It is a programming error to add a method twice, with a
  /// descriptor of another kind, or without an access rule.
  ///
  /// - Parameters:
  ///   - method: the method as the contract declares it.
  ///   - requests: whether the method's requests may be large.
  ///   - handler: reads the requests and returns the response, or throws.
  public mutating func clientStreaming<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (RequestStream<Q>, CallContext) async throws -> A
  ) {
    let gate: MethodGate<Q>? = access?.gate(of: method)
    add(method, .clientStreaming, requests, JSONForms(of: method.name, Q.self, A.self)) { call, context in
      try LentMessage(await handler(Self.requests(of: call, method, gate, context), context))
    }
  }

  /// Adds a method with a stream of requests and a stream of responses, which are independent of each other. It is a
  /// programming error to add a method twice, with a descriptor of another kind, or without an access rule.
  ///
  /// - Parameters:
  ///   - method: the method as the contract declares it.
  ///   - requests: whether the method's requests may be large.
  ///   - handler: reads the requests and writes the responses. The call ends when the handler returns or throws.
  public mutating func bidirectional<Q: Message, A: Message>(
    _ method: MethodDescriptor, requests: RequestSize = .small,
    _ handler: @escaping @Sendable (RequestStream<Q>, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    let gate: MethodGate<Q>? = access?.gate(of: method)
    add(method, .bidirectional, requests, JSONForms(of: method.name, Q.self, A.self)) { call, context in
      try await handler(Self.requests(of: call, method, gate, context), context, ResponseWriter(call))
      return nil
    }
  }

  /// The stream of a call's requests. With an access check, the first request is read and checked before the handler
  /// gets the stream.
  private static func requests<Q: Message>(
    of call: any CallTransport, _ method: MethodDescriptor, _ gate: MethodGate<Q>?, _ context: CallContext
  ) async throws -> RequestStream<Q> {
    guard let gate else { return RequestStream { try await call.readNext(method.name) } }
    let request: Q? = try await call.readNext(method.name)
    try await gate.check(context.principal, request)
    let first = CheckedRequest(request)
    return RequestStream { try await first.isUnread ? first.take() : call.readNext(method.name) }
  }

  /// The first request of a stream, which the access check has seen before the handler reads it.
  private final class CheckedRequest<Q: Message>: Sendable {
    /// The request until the handler reads it, because it may be large and the stream long. Nil also when the client
    /// sent none.
    private let request: Locked<Q?>
    private let isRead = Atomic(false)

    init(_ request: Q?) { self.request = Locked(request) }

    /// Whether the handler has still to read the request.
    var isUnread: Bool { !isRead.load(ordering: .relaxed) }

    func take() -> Q? {
      isRead.store(true, ordering: .relaxed)
      return request.withLock { request in
        defer { request = nil }
        return request
      }
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

/// The size of a method's requests. Each transport has a limit in bytes for small requests and another one for large
/// requests.
public enum RequestSize: Sendable {
  /// The method's requests contain no pictures and have some kilobytes at most.
  case small
  /// The method's requests contain pictures.
  case large
}
