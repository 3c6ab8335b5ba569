internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

/// The handlers of SessionService. The handler of each method is in a file of its own in this folder.
struct SessionHandlers: SessionServiceHandler {
  let sessions: SessionRegistry
  let videoStorage: VideoStorageRule
}

extension SessionRegistry {
  /// Returns the session with the resource name `name`, which came in the request's field `field`.
  ///
  /// - Throws: `invalidArgument` when `name` is not `sessions/{id}`; `sessionNotFound`, `shuttingDown`.
  func session(named name: String, field: String) throws(CaptureError) -> CaptureSession {
    try session(try ResourceName.id(in: name, "sessions", field: field))
  }

  /// Returns a session as ``session(named:field:)`` does, but waits a moment for a session that does not exist yet; see
  /// ``expectedSession(_:)``.
  ///
  /// - Throws: as ``session(named:field:)`` does.
  func expectedSession(named name: String, field: String) async throws(CaptureError) -> CaptureSession {
    try await expectedSession(try ResourceName.id(in: name, "sessions", field: field))
  }
}

extension SessionHandlers {
  func createSession(
    _ request: Firstlight_V1_CreateSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_CreateSessionResponse {
    let timeout = request.hasIdleTimeout ? request.idleTimeout.unsignedNanoseconds : 0
    guard let timeout else {
      throw CaptureError(
        .invalidArgument, "The idle timeout is a duration of 0 or more.", field: "idle_timeout")
    }
    let configuration = request.hasConfiguration ? try SessionConfiguration(request.configuration) : nil
    if let configuration { try await videoStorage.check(configuration, of: request.sessionID) }
    let snapshot = try await sessions.create(
      id: request.sessionID, idleTimeout: timeout, configuration: configuration,
      startRequestedAt: request.start ? context.arrival : nil)
    return .with { $0.session = snapshot.proto }
  }
}

extension SessionHandlers {
  func getSession(
    _ request: Firstlight_V1_GetSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetSessionResponse {
    let snapshot = try await sessions.session(named: request.name, field: "name").snapshot()
    return .with { $0.session = snapshot.proto }
  }
}

extension SessionHandlers {
  func listSessions(
    _ request: Firstlight_V1_ListSessionsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListSessionsResponse {
    let (page, next) = try Paging.page(
      of: await sessions.sessions(), by: \.id, size: request.pageSize, token: request.pageToken, query: "ListSessions")
    var response = Firstlight_V1_ListSessionsResponse()
    for session in page { response.sessions.append(await session.snapshot().proto) }
    response.nextPageToken = next
    return response
  }
}

extension SessionHandlers {
  func configureSession(
    _ request: Firstlight_V1_ConfigureSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ConfigureSessionResponse {
    let session = try await sessions.session(named: request.name, field: "name")
    // A commit can end a recording as well as a stop can: it may take away the camera or the movie output.
    if !request.validateOnly { try OperatorRight.check(session, context, "configure") }
    let configuration = try SessionConfiguration(request.configuration)
    try await videoStorage.check(configuration, of: session.id)
    let result = try await session.configure(
      configuration, etag: request.etag, validateOnly: request.validateOnly)
    return .with {
      $0.session = result.snapshot.proto
      $0.issues = result.issues.map { issue in
        .with {
          $0.field = issue.field ?? ""
          $0.reason = issue.reason.rawValue
          $0.description_p = issue.message
        }
      }
      $0.reconfigured = result.reconfigured
    }
  }
}

extension SessionHandlers {
  func deleteSession(
    _ request: Firstlight_V1_DeleteSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_DeleteSessionResponse {
    try await sessions.delete(try ResourceName.id(in: request.name, "sessions", field: "name"), etag: request.etag)
    return Firstlight_V1_DeleteSessionResponse()
  }
}

extension SessionHandlers {
  func startSession(
    _ request: Firstlight_V1_StartSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StartSessionResponse {
    let session = try await sessions.session(named: request.name, field: "name")
    let snapshot = try await session.start(requestedAt: context.arrival)
    return .with { $0.session = snapshot.proto }
  }
}

extension SessionHandlers {
  func stopSession(
    _ request: Firstlight_V1_StopSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StopSessionResponse {
    let session = try await sessions.session(named: request.name, field: "name")
    try OperatorRight.check(session, context, "stop")
    let snapshot = try await session.stop(etag: request.etag)
    return .with { $0.session = snapshot.proto }
  }
}

extension SessionHandlers {
  func runDeferredStart(
    _ request: Firstlight_V1_RunDeferredStartRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_RunDeferredStartResponse {
    try await sessions.session(named: request.name, field: "name").runDeferredStart()
    return Firstlight_V1_RunDeferredStartResponse()
  }
}

extension SessionHandlers {
  func getLaunchTimeline(
    _ request: Firstlight_V1_GetLaunchTimelineRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetLaunchTimelineResponse {
    let timeline = try await sessions.session(named: request.name, field: "name").launchTimeline()
    return .with { $0.timeline = timeline.proto }
  }
}

extension SessionHandlers {
  func suggestLowerCost(
    _ request: Firstlight_V1_SuggestLowerCostRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SuggestLowerCostResponse {
    let session = try await sessions.session(named: request.name, field: "name")
    let wanted = request.hasConfiguration ? try SessionConfiguration(request.configuration) : nil
    let reductions = try await session.suggestLowerCost(of: wanted)
    return .with { $0.reductions = reductions.map(\.proto) }
  }
}
