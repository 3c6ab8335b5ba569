internal import CaptureCore
internal import FirstlightAPI
internal import Locking
internal import RPCCore
internal import ServiceLifecycle
internal import SwiftProtobuf
internal import VideoStorage

extension VideoStorageHandlers {
  func watchVideoStorage(
    _ request: Firstlight_V1_WatchVideoStorageRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchVideoStorageResponse>
  ) async throws {
    for await state in await storage.states().cancelOnGracefulShutdown() {
      try await writer.write(.with { $0.videoStorage = state.proto })
      // A capture changes the state with each of its writes. Of those that come meanwhile, the newest waits.
      try await Task.sleep(for: .milliseconds(100))
    }
    try Task.checkCancellation()
    throw CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
  }
}
