internal import FirstlightAPI
internal import Locking
internal import RPCCore
internal import SwiftProtobuf

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
  ///
  /// - Parameter isStart: whether the method starts a session, so that its line in the log must wait.
  mutating func unary<Q: ChangeRequest, A: Message>(
    _ method: MethodDescriptor, loggedBy log: ChangeLog, isStart: Bool = false,
    _ handler: @escaping @Sendable (Q, CallContext) async throws -> A
  ) {
    unary(method) { (request: Q, context) async throws -> A in
      do {
        let answer = try await handler(request, context)
        if let changed = request.changedResource {
          if isStart { log.tellStart(context, changed) } else { log.tell(context, changed) }
        }
        return answer
      } catch {
        if let changed = request.changedResource { log.tell(context, changed, error) }
        throw error
      }
    }
  }

  /// Adds a method that makes something as ``unary(_:requests:_:)`` does. Its calls go into a log, and their lines wait
  /// like those of a start.
  mutating func unary<Q: Message, A: ChangeResponse>(
    _ method: MethodDescriptor, loggedBy log: ChangeLog,
    _ handler: @escaping @Sendable (Q, CallContext) async throws -> A
  ) {
    unary(method) { (request: Q, context) async throws -> A in
      let answer = try await handler(request, context)
      log.tellStart(context, answer.madeResource)
      return answer
    }
  }

  /// Adds a method as ``serverStreaming(_:requests:_:)`` does, whose calls go into a log with their first answer, by
  /// which they are accepted.
  mutating func serverStreaming<Q: ChangeRequest, A: Message>(
    _ method: MethodDescriptor, loggedBy log: ChangeLog,
    _ handler: @escaping @Sendable (Q, CallContext, ResponseWriter<A>) async throws -> Void
  ) {
    serverStreaming(method) { (request: Q, context, writer: ResponseWriter<A>) async throws in
      let untold = Locked(request.changedResource)
      let telling = ResponseWriter<A> { answer in
        if let changed = untold.withLock({ $0.take() }) { log.tell(context, changed) }
        try await writer.write(answer)
      }
      try await handler(request, context, telling)
    }
  }
}

// The requests of the methods whose calls go into the ChangeLog. SetOverlay is not among them, because a program may
// call it for each frame.

extension Firstlight_V1_DeleteSessionRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_ConfigureSessionRequest: ChangeRequest {
  var changedResource: String? { validateOnly ? nil : name }
}

extension Firstlight_V1_StartSessionRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_StopSessionRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_SetControlsRequest: ChangeRequest {
  var changedResource: String? { device }
}

extension Firstlight_V1_StartRecordingRequest: ChangeRequest {
  var changedResource: String? { session }
}

extension Firstlight_V1_StopRecordingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_PauseRecordingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_ResumeRecordingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_DeleteRecordingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_SetVideoStorageCapacityRequest: ChangeRequest {
  var changedResource: String? { "the video storage" }
}

extension Firstlight_V1_ReplenishVideoStorageRequest: ChangeRequest {
  var changedResource: String? { "the video storage" }
}

extension Firstlight_V1_AttachToOutputRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_FinishWritingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_V1_CancelWritingRequest: ChangeRequest {
  var changedResource: String? { name }
}

extension Firstlight_Drill_V1_InjectFaultRequest: ChangeRequest {
  var changedResource: String? { device }
}

extension Firstlight_Drill_V1_SimulateLevelRequest: ChangeRequest {
  var changedResource: String? { "the pressure" }
}

extension Firstlight_V1_CreateSessionResponse: ChangeResponse {
  var madeResource: String { session.name }
}

extension Firstlight_V1_CreateWriterResponse: ChangeResponse {
  var madeResource: String { writer.name }
}

extension Firstlight_Drill_V1_BlockTaskPoolRequest: ChangeRequest {
  var changedResource: String? { "the daemon" }
}
