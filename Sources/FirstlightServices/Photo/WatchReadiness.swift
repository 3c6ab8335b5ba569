internal import CaptureSession
internal import FirstlightAPI
internal import GRPCTransport
internal import PhotoCapture
internal import SwiftProtobuf

extension PhotoHandlers {
  func watchReadiness(
    _ request: Firstlight_V1_WatchReadinessRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchReadinessResponse>
  ) async throws {
    let session = try await sessions.session(named: request.session, field: "session")
    let output = try await session.output("", as: PhotoOutput.self, named: "photo")
    try await session.idle.whileAttached {
      for try await readiness in output.watchReadiness() {
        try await writer.write(.with { $0.readiness = readiness.proto })
      }
    }
  }
}
