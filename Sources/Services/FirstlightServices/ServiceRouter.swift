internal import FirstlightAPI
internal import Locking
internal import RPCCore
internal import SwiftProtobuf

/// Adds the methods of services to a router. The calls of a method go into the log of changes when its request is a
/// ``ChangeRequest`` or its response is a ``ChangeResponse``: of the functions with one name, the compiler picks the
/// one that asks most of its types.
struct ServiceRouter {
  /// The methods whose requests contain pictures.
  private static let large: Set = [
    Firstlight_V1_AssetWriterService.appendSamples, Firstlight_V1_VideoDataService.processFrames,
    Firstlight_V1_VideoDataService.setOverlay, Firstlight_V1_PhotoLibraryService.performChanges,
  ]

  /// The methods that were added.
  var methods: RPCRouter
  /// Takes the calls that change something.
  let changes: ChangeLog

  /// Adds a method with one request and one response.
  mutating func unary<Q: Message, A: Message>(
    _ method: MethodDescriptor, _ handler: @escaping @Sendable (Q, CallContext) async throws -> A
  ) {
    methods.unary(method, requests: Self.size(of: method), handler)
  }

  /// Adds a method that changes something, whose calls go into the log.
  mutating func unary<Q: ChangeRequest, A: Message>(
    _ method: MethodDescriptor, _ handler: @escaping @Sendable (Q, CallContext) async throws -> A
  ) {
    let tellFailure = { @Sendable [changes] (request: Q, context: CallContext, error: any Error) -> Void in
      if let changed = request.changedResource { changes.tell(context, changed, error) }
    }
    methods.unary(method, requests: Self.size(of: method), onRefusal: tellFailure) {
      [changes] (request: Q, context) async throws -> A in
      do {
        let answer = try await handler(request, context)
        if let changed = request.changedResource {
          if Q.isStart { changes.tellStart(context, changed) } else { changes.tell(context, changed) }
        }
        return answer
      } catch {
        tellFailure(request, context, error)
        throw error
      }
    }
  }

  /// Adds a method that makes something. Its calls go into the log, and their lines wait like those of a start.
  mutating func unary<Q: Message, A: ChangeResponse>(
    _ method: MethodDescriptor, _ handler: @escaping @Sendable (Q, CallContext) async throws -> A
  ) {
    methods.unary(method, requests: Self.size(of: method)) { [changes] (request: Q, context) async throws -> A in
      let answer = try await handler(request, context)
      changes.tellStart(context, answer.madeResource)
      return answer
    }
  }

  /// Adds a method with one request and a stream of responses.
  mutating func serverStreaming<Q: Message, A: Message>(
    _ method: MethodDescriptor, _ handler: @escaping @Sendable (Q, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    methods.serverStreaming(method, requests: Self.size(of: method), handler)
  }

  /// Adds a method that changes something. Its calls go into the log with their first answer, by which they are
  /// accepted.
  mutating func serverStreaming<Q: ChangeRequest, A: Message>(
    _ method: MethodDescriptor, _ handler: @escaping @Sendable (Q, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    methods.serverStreaming(method, requests: Self.size(of: method)) {
      [changes] (request: Q, context, writer: ResponseWriter<A>) async throws in
      let untold = Locked(request.changedResource)
      let telling = ResponseWriter<A> { answer in
        if let changed = untold.withLock({ $0.take() }) { changes.tell(context, changed) }
        try await writer.write(answer)
      }
      try await handler(request, context, telling)
    }
  }

  /// Adds a method with a stream of requests and a stream of responses.
  mutating func bidirectional<Q: Message, A: Message>(
    _ method: MethodDescriptor,
    _ handler: @escaping @Sendable (RequestStream<Q>, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    methods.bidirectional(method, requests: Self.size(of: method), handler)
  }

  private static func size(of method: MethodDescriptor) -> RequestSize { large.contains(method) ? .large : .small }
}
