internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import MovieRecording
internal import RPCCore
internal import SwiftProtobuf

extension AssetWriterHandlers {
  func attachToOutput(
    _ request: Firstlight_V1_AttachToOutputRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_AttachToOutputResponse {
    let writer = try writer(request.name)
    let session = try await sessions.session(named: request.session, field: "session")
    let output = try await session.output(request.output, as: MovieOutput.self, named: "movie")
    try await session.whileViewed(since: context.arrival) {
      try await session.awaitStartOnDemand(since: context.arrival)
      try await output.awaitDeferredStart()
      // The writer goes on when the client leaves, and needs the session as long.
      try writer.attach(to: output, whenDetached: session.beginCapture())
    }
    return .with { $0.writer = writer.state.proto }
  }
}
