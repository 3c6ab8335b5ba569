internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

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
