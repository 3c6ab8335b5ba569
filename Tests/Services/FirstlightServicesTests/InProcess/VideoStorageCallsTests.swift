import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import Testing

/// What VideoStorageService tells, and who may set the capacity. What is on the disk is tested with the module.
@Suite(.timeLimit(.minutes(1))) struct VideoStorageCallsTests {
  private typealias Service = Firstlight_V1_VideoStorageService

  private func state(_ daemon: InProcessDaemon) async throws -> Firstlight_V1_VideoStorage {
    let response: Firstlight_V1_GetVideoStorageResponse = try await daemon.call(
      Service.getVideoStorage, Firstlight_V1_GetVideoStorageRequest())
    return response.videoStorage
  }

  private static func capacity(_ bytes: Int64) -> Firstlight_V1_SetVideoStorageCapacityRequest {
    .with { $0.initialCapacity = bytes }
  }

  @Test func thereIsNothingBeforeAnOperatorSetsACapacity() async throws {
    try await InProcessDaemon.run { daemon in
      let state = try await state(daemon)
      #expect((state.initialCapacity, state.remainingCapacity) == (0, 0))
      try #require(state.supported)
      #expect(state.unsupportedReason == "" && !state.hasError && !state.busy)
      let error = try await daemon.refusal(
        of: Service.replenishVideoStorage, Firstlight_V1_ReplenishVideoStorageRequest())
      #expect(error.summary == "FAILED_PRECONDITION VIDEO_STORAGE_NOT_CONFIGURED")
    }
  }

  @Test(arguments: [InProcessDaemon.Client.local, .remote]) func aClientMayNotSetTheCapacity(
    _ client: InProcessDaemon.Client
  ) async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await daemon.refusal(of: Service.setVideoStorageCapacity, Self.capacity(1 << 20), by: client)
      #expect(error.summary == "PERMISSION_DENIED OPERATOR_REQUIRED")
      #expect(try await state(daemon).initialCapacity == 0)
    }
  }

  @Test(arguments: [-1, (1 << 40) + 1]) func aCapacityOutOfRangeIsRefused(_ bytes: Int64) async throws {
    try await InProcessDaemon.run { daemon in
      try #require(try await state(daemon).supported)
      let error = try await daemon.refusal(of: Service.setVideoStorageCapacity, Self.capacity(bytes), by: .root)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.metadata["value"] == "\(bytes)")
    }
  }

  @Test func anOperatorSetsTheCapacityAndWatchersHearWhenItIsThere() async throws {
    try await InProcessDaemon.run { daemon in
      try #require(try await state(daemon).supported)
      let states: ResponseStream<Firstlight_V1_WatchVideoStorageResponse> = try daemon.stream(
        Service.watchVideoStorage, Firstlight_V1_WatchVideoStorageRequest())
      _ = try await states.next()
      let answer: Firstlight_V1_SetVideoStorageCapacityResponse = try await daemon.call(
        Service.setVideoStorageCapacity, Self.capacity(2 << 20), by: .root)
      #expect(answer.videoStorage.busyReasons == [.adjustingCapacity])
      let last = try #require(
        try await states.through { !$0.videoStorage.busy && $0.videoStorage.initialCapacity > 0 }.last)
      #expect(last.videoStorage.initialCapacity == 2 << 20)
      #expect(last.videoStorage.remainingCapacity == 2 << 20)
      let replenished: Firstlight_V1_ReplenishVideoStorageResponse = try await daemon.call(
        Service.replenishVideoStorage, Firstlight_V1_ReplenishVideoStorageRequest())
      #expect(!replenished.videoStorage.busy && replenished.videoStorage.remainingCapacity == 2 << 20)
    }
  }

  @Test(arguments: [nil, "/etc/my camera.yaml"]) func theSettingsAreThoseOfTheConfigurationFile(
    _ file: String?
  ) async throws {
    try await InProcessDaemon.run {
      $0.configurationFile = file
    } _: { daemon in
      let settings: Firstlight_V1_OpenSettingsResponse = try await daemon.call(
        Service.openSettings, Firstlight_V1_OpenSettingsRequest())
      #expect(settings.uri == (file == nil ? "" : "file:///etc/my%20camera.yaml"))
      #expect(settings.instructions.contains(file ?? "--video-storage-capacity"))
      #expect(settings.instructions.contains("video-storage-capacity"))
    }
  }
}
