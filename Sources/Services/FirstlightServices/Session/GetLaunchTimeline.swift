internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

extension SessionHandlers {
  func getLaunchTimeline(
    _ request: Firstlight_V1_GetLaunchTimelineRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetLaunchTimelineResponse {
    let timeline = try await sessions.session(named: request.name, field: "name").launchTimeline()
    return .with { $0.timeline = timeline.proto }
  }
}
