internal import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf

extension PhotoHandlers {
  func watchReadiness(
    _ request: Firstlight_V1_WatchReadinessRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchReadinessResponse>
  ) async throws {
    let (session, output) = try await photoOutput(of: request.session)
    try await session.idle.whileAttached {
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
}
