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
