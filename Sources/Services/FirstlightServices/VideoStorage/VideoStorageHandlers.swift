internal import CaptureCore
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import VideoStorage

/// The handlers of VideoStorageService. The handlers of long calls are in files of their own in this folder.
struct VideoStorageHandlers: VideoStorageServiceHandler {
  let storage: VideoStorage
  /// The path of the daemon's configuration file; nil for none.
  let configurationFile: String?

  func getVideoStorage(
    _ request: Firstlight_V1_GetVideoStorageRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetVideoStorageResponse {
    let state = await storage.state
    return .with { $0.videoStorage = state.proto }
  }

  func replenishVideoStorage(
    _ request: Firstlight_V1_ReplenishVideoStorageRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ReplenishVideoStorageResponse {
    let state = try await storage.replenish()
    return .with { $0.videoStorage = state.proto }
  }
}
