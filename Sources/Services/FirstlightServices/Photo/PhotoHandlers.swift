internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

/// The handlers of PhotoService. The handler of each method is in a file of its own in this folder.
struct PhotoHandlers: PhotoServiceHandler {
  let sessions: SessionRegistry
  let captures: CaptureStore

  /// Returns a session and its photo output.
  ///
  /// - Parameter session: `sessions/{id}`, from the request's field `session`.
  /// - Throws: `invalidArgument` for another name; `sessionNotFound`, `shuttingDown`, `outputNotFound`.
  func photoOutput(of session: String) async throws -> (CaptureSession, PhotoOutput) {
    let session = try await sessions.session(named: session, field: "session")
    return (session, try await session.output("", as: PhotoOutput.self, named: "photo"))
  }
}

extension PhotoHandlers {
  func getCapture(
    _ request: Firstlight_V1_GetCaptureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetCaptureResponse {
    let capture = try captures.capture(try ResourceName.id(in: request.name, "captures", field: "name"))
    return .with { $0.capture = capture.proto }
  }
}

extension PhotoHandlers {
  func listCaptures(
    _ request: Firstlight_V1_ListCapturesRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListCapturesResponse {
    if case .UNRECOGNIZED(let value) = request.state { throw Validation.unknownEnum(value, field: "state") }
    let times = try Validation.timeRange(
      request.hasStartTime ? request.startTime : nil, request.hasEndTime ? request.endTime : nil)
    // The event ID is read before the list. A client that watches after this ID gets an event that comes between the
    // two once more, although the list already shows it, but misses no event.
    let eventID = try await newestEvent(of: request.session)
    let found = captures.all().filter { capture in
      (request.session.isEmpty || "sessions/\(capture.sessionID)" == request.session)
        && (request.state == .unspecified || capture.state.proto == request.state)
        && times.contains(capture.requestTime)
    }
    if eventID == nil, found.isEmpty { _ = try await sessions.session(named: request.session, field: "session") }
    let range = "\(times.lowerBound.nanoseconds)..<\(times.upperBound.nanoseconds)"
    let (page, next) = try Paging.page(
      of: found, by: { Paging.key($0.number) }, size: request.pageSize, token: request.pageToken,
      query: "ListCaptures \(captures.name) \(request.session) \(request.state.rawValue) \(range)")
    return .with {
      $0.captures = page.map(\.proto)
      $0.nextPageToken = next
      $0.eventID = eventID ?? ""
    }
  }

  /// Returns the ID of the newest event of a session's photo output. Empty when `session` is empty or the session has
  /// no photo output; nil when the session does not exist.
  ///
  /// - Throws: `invalidArgument` when `session` is neither empty nor `sessions/{id}`.
  private func newestEvent(of session: String) async throws -> String? {
    if session.isEmpty { return "" }
    let id = try ResourceName.id(in: session, "sessions", field: "session")
    guard let session = try? await sessions.session(id) else { return nil }
    guard let output = try? await session.output("", as: PhotoOutput.self, named: "photo") else { return "" }
    return output.events.eventID(output.events.lastID)
  }
}

extension PhotoHandlers {
  func preparePhotoSettings(
    _ request: Firstlight_V1_PreparePhotoSettingsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_PreparePhotoSettingsResponse {
    guard request.settings.count <= 16 else {
      throw CaptureError(
        .invalidArgument, "One call prepares at most 16 settings, not \(request.settings.count).",
        metadata: ["count": "\(request.settings.count)", "allowed": "16"], field: "settings")
    }
    var wanted: [PhotoRequest] = []
    for (index, settings) in request.settings.enumerated() {
      wanted.append(try PhotoRequest(settings, field: "settings[\(index)]"))
    }
    let (session, output) = try await photoOutput(of: request.session)
    let prepared = try await session.idle.whileAttached { [wanted] in try await output.prepare(for: wanted) }
    return .with { $0.preparation = prepared ? .done : .superseded }
  }
}

extension PhotoHandlers {
  func startTrackingCapture(
    _ request: Firstlight_V1_StartTrackingCaptureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StartTrackingCaptureResponse {
    let wanted = try PhotoRequest(request.settings, field: "settings")
    let (_, output) = try await photoOutput(of: request.session)
    let readiness = try output.startTracking(wanted, watcher: request.streamToken.isEmpty ? nil : request.streamToken)
    return .with { $0.readiness = readiness.proto }
  }
}

extension PhotoHandlers {
  func stopTrackingCapture(
    _ request: Firstlight_V1_StopTrackingCaptureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StopTrackingCaptureResponse {
    let (_, output) = try await photoOutput(of: request.session)
    let readiness = output.stopTracking(request.uniqueID)
    return .with { $0.readiness = readiness.proto }
  }
}

extension PhotoHandlers {
  func watchCaptures(
    _ request: Firstlight_V1_WatchCapturesRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchCapturesResponse>
  ) async throws {
    let (session, output) = try await photoOutput(of: request.session)
    try await session.idle.whileAttached { try await watchCaptures(of: output, after: request.afterEventID, writer) }
  }

  /// Sends the events of captures. The caller says whether the stream counts as a use of the session.
  ///
  /// - Parameter eventID: the id of the event after which the events begin; empty for the events from now on.
  func watchCaptures(
    of output: PhotoOutput, after eventID: String, _ writer: ResponseWriter<Firstlight_V1_WatchCapturesResponse>
  ) async throws {
    try await output.watchingCaptures {
      var position = try eventID.isEmpty ? output.events.lastID : output.events.number(of: eventID)
      while true {
        let entry = try await output.events.entry(after: position)
        position = entry.id
        try await writer.write(.with { $0.event = entry.payload.proto(eventID: output.events.eventID(entry.id)) })
      }
    }
  }
}

extension PhotoHandlers {
  func watchReadiness(
    _ request: Firstlight_V1_WatchReadinessRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchReadinessResponse>
  ) async throws {
    let (session, output) = try await photoOutput(of: request.session)
    try await session.idle.whileAttached { try await watchReadiness(of: output, writer) }
  }

  /// Sends the readiness of a photo output. The caller says whether the stream counts as a use of the session.
  func watchReadiness(
    of output: PhotoOutput, _ writer: ResponseWriter<Firstlight_V1_WatchReadinessResponse>
  ) async throws {
    let updates = try output.watchReadiness()
    for try await readiness in updates {
      try await writer.write(
        .with {
          $0.readiness = readiness.proto
          $0.hint = readiness.hint
          $0.streamToken = updates.token
        })
    }
  }
}
