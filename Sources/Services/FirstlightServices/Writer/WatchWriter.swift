internal import CaptureCore
internal import FirstlightAPI
internal import Locking
internal import MovieRecording
internal import RPCCore
internal import ServiceLifecycle
internal import SwiftProtobuf

extension AssetWriterHandlers {
  func watchWriter(
    _ request: Firstlight_V1_WatchWriterRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchWriterResponse>
  ) async throws {
    let assetWriter = try self.writer(request.name)
    try await assetWriter.whileUsed {
      for await state in assetWriter.states().0.cancelOnGracefulShutdown() {
        try await writer.write(.with { $0.writer = state.proto })
        if state.isOver { return }
        // Each sample changes the state. Of those that come meanwhile, the newest waits.
        try await Task.sleep(for: .milliseconds(100))
      }
      try Task.checkCancellation()
      throw CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
    }
  }
}
