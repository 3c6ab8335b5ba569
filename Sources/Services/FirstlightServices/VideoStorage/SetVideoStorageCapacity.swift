internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import VideoStorage

extension VideoStorageHandlers {
  func setVideoStorageCapacity(
    _ request: Firstlight_V1_SetVideoStorageCapacityRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SetVideoStorageCapacityResponse {
    let state = try await storage.setCapacity(request.initialCapacity)
    return .with { $0.videoStorage = state.proto }
  }
}
