internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore

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
