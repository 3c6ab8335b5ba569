internal import CaptureCore
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import VideoStorage

/// The handlers of VideoStorageService. The handlers of long calls are in files of their own in this folder.
struct VideoStorageHandlers: Sendable {
  let storage: VideoStorage
  /// The path of the daemon's configuration file; nil for none.
  let configurationFile: String?
  let changes: ChangeLog

  func register(on router: inout RPCRouter) {
    router.unary(Firstlight_V1_VideoStorageService.getVideoStorage, getVideoStorage)
    router.serverStreaming(Firstlight_V1_VideoStorageService.watchVideoStorage, watchVideoStorage)
    router.unary(Firstlight_V1_VideoStorageService.replenishVideoStorage, loggedBy: changes, replenishVideoStorage)
    router.unary(
      Firstlight_V1_VideoStorageService.setVideoStorageCapacity, loggedBy: changes, setVideoStorageCapacity)
    router.unary(Firstlight_V1_VideoStorageService.openSettings, openSettings)
  }

  private func getVideoStorage(
    _ request: Firstlight_V1_GetVideoStorageRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetVideoStorageResponse {
    let state = await storage.state
    return .with { $0.videoStorage = state.proto }
  }

  private func replenishVideoStorage(
    _ request: Firstlight_V1_ReplenishVideoStorageRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ReplenishVideoStorageResponse {
    let state = try await storage.replenish()
    return .with { $0.videoStorage = state.proto }
  }
}
