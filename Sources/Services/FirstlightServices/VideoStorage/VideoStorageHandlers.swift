internal import CaptureCore
internal import FirstlightAPI
internal import Locking
internal import RPCCore
internal import ServiceLifecycle
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

extension VideoStorageHandlers {
  func setVideoStorageCapacity(
    _ request: Firstlight_V1_SetVideoStorageCapacityRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SetVideoStorageCapacityResponse {
    let state = try await storage.setCapacity(request.initialCapacity)
    return .with { $0.videoStorage = state.proto }
  }
}

extension VideoStorageHandlers {
  func watchVideoStorage(
    _ request: Firstlight_V1_WatchVideoStorageRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchVideoStorageResponse>
  ) async throws {
    for await state in await storage.states().cancelOnGracefulShutdown() {
      try await writer.write(.with { $0.videoStorage = state.proto })
      // The pause bounds the number of messages, because a capture changes the state with each of its writes. Of the
      // states that come during the pause, the client gets only the newest.
      try await Task.sleep(for: .milliseconds(100))
    }
    try Task.checkCancellation()
    throw CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
  }
}

extension VideoStorageHandlers {
  func openSettings(
    _ request: Firstlight_V1_OpenSettingsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_OpenSettingsResponse {
    let file = configurationFile.map { " in \($0)" } ?? ", or start it with --video-storage-capacity"
    return .with {
      $0.instructions = """
        An operator sets the size of the video storage: write video-storage-capacity, in bytes, into the configuration \
        of the daemon\(file), and restart the daemon. Or call SetVideoStorageCapacity over a Unix socket of the \
        daemon, as its user or as root; this needs no restart.
        """
      $0.uri = configurationFile.map(Self.uri) ?? ""
    }
  }

  /// The URI of a file with an absolute path.
  static func uri(of path: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
    return "file://"
      + path.utf8.map { byte in
        if plain.contains(byte) { return String(UnicodeScalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }.joined()
  }
}
