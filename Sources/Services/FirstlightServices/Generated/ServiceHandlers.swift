// DO NOT EDIT. Made by scripts/generate-protos.
// swift-format-ignore-file

internal import FirstlightAPI
internal import RPCCore

/// Handles every method of `firstlight.v1.AssetWriterService`.
protocol AssetWriterServiceHandler: Sendable {
  func createWriter(
    _ request: Firstlight_V1_CreateWriterRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_CreateWriterResponse
  func configureWriter(
    _ request: Firstlight_V1_ConfigureWriterRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ConfigureWriterResponse
  func getWriter(
    _ request: Firstlight_V1_GetWriterRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetWriterResponse
  func listWriters(
    _ request: Firstlight_V1_ListWritersRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListWritersResponse
  func startWriting(
    _ request: Firstlight_V1_StartWritingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StartWritingResponse
  func appendSamples(
    _ requests: RequestStream<Firstlight_V1_AppendSamplesRequest>, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_AppendSamplesResponse>
  ) async throws
  func attachToOutput(
    _ request: Firstlight_V1_AttachToOutputRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_AttachToOutputResponse
  func endSession(
    _ request: Firstlight_V1_EndSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_EndSessionResponse
  func finishWriting(
    _ request: Firstlight_V1_FinishWritingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_FinishWritingResponse
  func cancelWriting(
    _ request: Firstlight_V1_CancelWritingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_CancelWritingResponse
  func watchWriter(
    _ request: Firstlight_V1_WatchWriterRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchWriterResponse>
  ) async throws
}

extension AssetWriterServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.unary(Firstlight_V1_AssetWriterService.createWriter, createWriter)
    router.unary(Firstlight_V1_AssetWriterService.configureWriter, configureWriter)
    router.unary(Firstlight_V1_AssetWriterService.getWriter, getWriter)
    router.unary(Firstlight_V1_AssetWriterService.listWriters, listWriters)
    router.unary(Firstlight_V1_AssetWriterService.startWriting, startWriting)
    router.bidirectional(Firstlight_V1_AssetWriterService.appendSamples, appendSamples)
    router.unary(Firstlight_V1_AssetWriterService.attachToOutput, attachToOutput)
    router.unary(Firstlight_V1_AssetWriterService.endSession, endSession)
    router.unary(Firstlight_V1_AssetWriterService.finishWriting, finishWriting)
    router.unary(Firstlight_V1_AssetWriterService.cancelWriting, cancelWriting)
    router.serverStreaming(Firstlight_V1_AssetWriterService.watchWriter, watchWriter)
  }
}

/// Handles every method of `firstlight.v1.PressureService`.
protocol PressureServiceHandler: Sendable {
  func getSystemPressure(
    _ request: Firstlight_V1_GetSystemPressureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetSystemPressureResponse
  func watchSystemPressure(
    _ request: Firstlight_V1_WatchSystemPressureRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchSystemPressureResponse>
  ) async throws
  func getPressureHistory(
    _ request: Firstlight_V1_GetPressureHistoryRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetPressureHistoryResponse
  func getAdaptationLadder(
    _ request: Firstlight_V1_GetAdaptationLadderRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetAdaptationLadderResponse
}

extension PressureServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.unary(Firstlight_V1_PressureService.getSystemPressure, getSystemPressure)
    router.serverStreaming(Firstlight_V1_PressureService.watchSystemPressure, watchSystemPressure)
    router.unary(Firstlight_V1_PressureService.getPressureHistory, getPressureHistory)
    router.unary(Firstlight_V1_PressureService.getAdaptationLadder, getAdaptationLadder)
  }
}

/// Handles every method of `firstlight.v1.PreviewService`.
protocol PreviewServiceHandler: Sendable {
  func streamPreview(
    _ request: Firstlight_V1_StreamPreviewRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamPreviewResponse>
  ) async throws
  func acknowledgeFrames(
    _ request: Firstlight_V1_AcknowledgeFramesRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_AcknowledgeFramesResponse
}

extension PreviewServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.serverStreaming(Firstlight_V1_PreviewService.streamPreview, streamPreview)
    router.unary(Firstlight_V1_PreviewService.acknowledgeFrames, acknowledgeFrames)
  }
}

/// Handles every method of `firstlight.v1.DelayedFeedService`.
protocol DelayedFeedServiceHandler: Sendable {
  func streamDelayedFrames(
    _ request: Firstlight_V1_StreamDelayedFramesRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamDelayedFramesResponse>
  ) async throws
  func streamDelayedChunks(
    _ request: Firstlight_V1_StreamDelayedChunksRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamDelayedChunksResponse>
  ) async throws
}

extension DelayedFeedServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.serverStreaming(Firstlight_V1_DelayedFeedService.streamDelayedFrames, streamDelayedFrames)
    router.serverStreaming(Firstlight_V1_DelayedFeedService.streamDelayedChunks, streamDelayedChunks)
  }
}

/// Handles every method of `firstlight.v1.DeviceService`.
protocol DeviceServiceHandler: Sendable {
  func listDevices(
    _ request: Firstlight_V1_ListDevicesRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListDevicesResponse
  func getDevice(
    _ request: Firstlight_V1_GetDeviceRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetDeviceResponse
  func watchDevices(
    _ request: Firstlight_V1_WatchDevicesRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchDevicesResponse>
  ) async throws
  func setControls(
    _ request: Firstlight_V1_SetControlsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SetControlsResponse
}

extension DeviceServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.unary(Firstlight_V1_DeviceService.listDevices, listDevices)
    router.unary(Firstlight_V1_DeviceService.getDevice, getDevice)
    router.serverStreaming(Firstlight_V1_DeviceService.watchDevices, watchDevices)
    router.unary(Firstlight_V1_DeviceService.setControls, setControls)
  }
}

/// Handles every method of `firstlight.v1.PhotoLibraryService`.
protocol PhotoLibraryServiceHandler: Sendable {
  func performChanges(
    _ request: Firstlight_V1_PerformChangesRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_PerformChangesResponse
  func listAssets(
    _ request: Firstlight_V1_ListAssetsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListAssetsResponse
  func getAsset(
    _ request: Firstlight_V1_GetAssetRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetAssetResponse
  func requestImage(
    _ request: Firstlight_V1_RequestImageRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_RequestImageResponse>
  ) async throws
  func downloadAsset(
    _ request: Firstlight_V1_DownloadAssetRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_DownloadAssetResponse>
  ) async throws
  func watchAssets(
    _ request: Firstlight_V1_WatchAssetsRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchAssetsResponse>
  ) async throws
}

extension PhotoLibraryServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.unary(Firstlight_V1_PhotoLibraryService.performChanges, performChanges)
    router.unary(Firstlight_V1_PhotoLibraryService.listAssets, listAssets)
    router.unary(Firstlight_V1_PhotoLibraryService.getAsset, getAsset)
    router.serverStreaming(Firstlight_V1_PhotoLibraryService.requestImage, requestImage)
    router.serverStreaming(Firstlight_V1_PhotoLibraryService.downloadAsset, downloadAsset)
    router.serverStreaming(Firstlight_V1_PhotoLibraryService.watchAssets, watchAssets)
  }
}

/// Handles every method of `firstlight.v1.PhotoService`.
protocol PhotoServiceHandler: Sendable {
  func capturePhoto(
    _ request: Firstlight_V1_CapturePhotoRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_CapturePhotoResponse>
  ) async throws
  func getCapture(
    _ request: Firstlight_V1_GetCaptureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetCaptureResponse
  func listCaptures(
    _ request: Firstlight_V1_ListCapturesRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListCapturesResponse
  func downloadCapture(
    _ request: Firstlight_V1_DownloadCaptureRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_DownloadCaptureResponse>
  ) async throws
  func watchReadiness(
    _ request: Firstlight_V1_WatchReadinessRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchReadinessResponse>
  ) async throws
  func startTrackingCapture(
    _ request: Firstlight_V1_StartTrackingCaptureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StartTrackingCaptureResponse
  func stopTrackingCapture(
    _ request: Firstlight_V1_StopTrackingCaptureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StopTrackingCaptureResponse
  func watchCaptures(
    _ request: Firstlight_V1_WatchCapturesRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchCapturesResponse>
  ) async throws
  func preparePhotoSettings(
    _ request: Firstlight_V1_PreparePhotoSettingsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_PreparePhotoSettingsResponse
}

extension PhotoServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.serverStreaming(Firstlight_V1_PhotoService.capturePhoto, capturePhoto)
    router.unary(Firstlight_V1_PhotoService.getCapture, getCapture)
    router.unary(Firstlight_V1_PhotoService.listCaptures, listCaptures)
    router.serverStreaming(Firstlight_V1_PhotoService.downloadCapture, downloadCapture)
    router.serverStreaming(Firstlight_V1_PhotoService.watchReadiness, watchReadiness)
    router.unary(Firstlight_V1_PhotoService.startTrackingCapture, startTrackingCapture)
    router.unary(Firstlight_V1_PhotoService.stopTrackingCapture, stopTrackingCapture)
    router.serverStreaming(Firstlight_V1_PhotoService.watchCaptures, watchCaptures)
    router.unary(Firstlight_V1_PhotoService.preparePhotoSettings, preparePhotoSettings)
  }
}

/// Handles every method of `firstlight.v1.RecordingService`.
protocol RecordingServiceHandler: Sendable {
  func startRecording(
    _ request: Firstlight_V1_StartRecordingRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StartRecordingResponse>
  ) async throws
  func stopRecording(
    _ request: Firstlight_V1_StopRecordingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StopRecordingResponse
  func pauseRecording(
    _ request: Firstlight_V1_PauseRecordingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_PauseRecordingResponse
  func resumeRecording(
    _ request: Firstlight_V1_ResumeRecordingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ResumeRecordingResponse
  func getRecording(
    _ request: Firstlight_V1_GetRecordingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetRecordingResponse
  func listRecordings(
    _ request: Firstlight_V1_ListRecordingsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListRecordingsResponse
  func listRecordingSpans(
    _ request: Firstlight_V1_ListRecordingSpansRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListRecordingSpansResponse
  func deleteRecording(
    _ request: Firstlight_V1_DeleteRecordingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_DeleteRecordingResponse
  func downloadRecording(
    _ request: Firstlight_V1_DownloadRecordingRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_DownloadRecordingResponse>
  ) async throws
  func exportRecording(
    _ request: Firstlight_V1_ExportRecordingRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_ExportRecordingResponse>
  ) async throws
}

extension RecordingServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.serverStreaming(Firstlight_V1_RecordingService.startRecording, startRecording)
    router.unary(Firstlight_V1_RecordingService.stopRecording, stopRecording)
    router.unary(Firstlight_V1_RecordingService.pauseRecording, pauseRecording)
    router.unary(Firstlight_V1_RecordingService.resumeRecording, resumeRecording)
    router.unary(Firstlight_V1_RecordingService.getRecording, getRecording)
    router.unary(Firstlight_V1_RecordingService.listRecordings, listRecordings)
    router.unary(Firstlight_V1_RecordingService.listRecordingSpans, listRecordingSpans)
    router.unary(Firstlight_V1_RecordingService.deleteRecording, deleteRecording)
    router.serverStreaming(Firstlight_V1_RecordingService.downloadRecording, downloadRecording)
    router.serverStreaming(Firstlight_V1_RecordingService.exportRecording, exportRecording)
  }
}

/// Handles every method of `firstlight.v1.ServerService`.
protocol ServerServiceHandler: Sendable {
  func getServerInfo(
    _ request: Firstlight_V1_GetServerInfoRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetServerInfoResponse
}

extension ServerServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.unary(Firstlight_V1_ServerService.getServerInfo, getServerInfo)
  }
}

/// Handles every method of `firstlight.v1.SessionService`.
protocol SessionServiceHandler: Sendable {
  func createSession(
    _ request: Firstlight_V1_CreateSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_CreateSessionResponse
  func getSession(
    _ request: Firstlight_V1_GetSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetSessionResponse
  func listSessions(
    _ request: Firstlight_V1_ListSessionsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListSessionsResponse
  func deleteSession(
    _ request: Firstlight_V1_DeleteSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_DeleteSessionResponse
  func configureSession(
    _ request: Firstlight_V1_ConfigureSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ConfigureSessionResponse
  func startSession(
    _ request: Firstlight_V1_StartSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StartSessionResponse
  func stopSession(
    _ request: Firstlight_V1_StopSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StopSessionResponse
  func runDeferredStart(
    _ request: Firstlight_V1_RunDeferredStartRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_RunDeferredStartResponse
  func watchSession(
    _ request: Firstlight_V1_WatchSessionRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchSessionResponse>
  ) async throws
  func watchAudioLevels(
    _ request: Firstlight_V1_WatchAudioLevelsRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchAudioLevelsResponse>
  ) async throws
  func getLaunchTimeline(
    _ request: Firstlight_V1_GetLaunchTimelineRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetLaunchTimelineResponse
  func suggestLowerCost(
    _ request: Firstlight_V1_SuggestLowerCostRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SuggestLowerCostResponse
}

extension SessionServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.unary(Firstlight_V1_SessionService.createSession, createSession)
    router.unary(Firstlight_V1_SessionService.getSession, getSession)
    router.unary(Firstlight_V1_SessionService.listSessions, listSessions)
    router.unary(Firstlight_V1_SessionService.deleteSession, deleteSession)
    router.unary(Firstlight_V1_SessionService.configureSession, configureSession)
    router.unary(Firstlight_V1_SessionService.startSession, startSession)
    router.unary(Firstlight_V1_SessionService.stopSession, stopSession)
    router.unary(Firstlight_V1_SessionService.runDeferredStart, runDeferredStart)
    router.serverStreaming(Firstlight_V1_SessionService.watchSession, watchSession)
    router.serverStreaming(Firstlight_V1_SessionService.watchAudioLevels, watchAudioLevels)
    router.unary(Firstlight_V1_SessionService.getLaunchTimeline, getLaunchTimeline)
    router.unary(Firstlight_V1_SessionService.suggestLowerCost, suggestLowerCost)
  }
}

/// Handles every method of `firstlight.v1.VideoDataService`.
protocol VideoDataServiceHandler: Sendable {
  func streamVideoData(
    _ request: Firstlight_V1_StreamVideoDataRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamVideoDataResponse>
  ) async throws
  func processFrames(
    _ requests: RequestStream<Firstlight_V1_ProcessFramesRequest>, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_ProcessFramesResponse>
  ) async throws
  func setOverlay(
    _ request: Firstlight_V1_SetOverlayRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SetOverlayResponse
}

extension VideoDataServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.serverStreaming(Firstlight_V1_VideoDataService.streamVideoData, streamVideoData)
    router.bidirectional(Firstlight_V1_VideoDataService.processFrames, processFrames)
    router.unary(Firstlight_V1_VideoDataService.setOverlay, setOverlay)
  }
}

/// Handles every method of `firstlight.v1.VideoStorageService`.
protocol VideoStorageServiceHandler: Sendable {
  func getVideoStorage(
    _ request: Firstlight_V1_GetVideoStorageRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetVideoStorageResponse
  func watchVideoStorage(
    _ request: Firstlight_V1_WatchVideoStorageRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchVideoStorageResponse>
  ) async throws
  func replenishVideoStorage(
    _ request: Firstlight_V1_ReplenishVideoStorageRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ReplenishVideoStorageResponse
  func setVideoStorageCapacity(
    _ request: Firstlight_V1_SetVideoStorageCapacityRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SetVideoStorageCapacityResponse
  func openSettings(
    _ request: Firstlight_V1_OpenSettingsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_OpenSettingsResponse
}

extension VideoStorageServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.unary(Firstlight_V1_VideoStorageService.getVideoStorage, getVideoStorage)
    router.serverStreaming(Firstlight_V1_VideoStorageService.watchVideoStorage, watchVideoStorage)
    router.unary(Firstlight_V1_VideoStorageService.replenishVideoStorage, replenishVideoStorage)
    router.unary(Firstlight_V1_VideoStorageService.setVideoStorageCapacity, setVideoStorageCapacity)
    router.unary(Firstlight_V1_VideoStorageService.openSettings, openSettings)
  }
}

/// Handles every method of `firstlight.v1.ViewfinderService`.
protocol ViewfinderServiceHandler: Sendable {
  func streamViewfinder(
    _ request: Firstlight_V1_StreamViewfinderRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamViewfinderResponse>
  ) async throws
  func updateViewfinder(
    _ request: Firstlight_V1_UpdateViewfinderRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_UpdateViewfinderResponse
}

extension ViewfinderServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.serverStreaming(Firstlight_V1_ViewfinderService.streamViewfinder, streamViewfinder)
    router.unary(Firstlight_V1_ViewfinderService.updateViewfinder, updateViewfinder)
  }
}

/// Handles every method of `firstlight.drill.v1.FaultInjectionService`.
protocol FaultInjectionServiceHandler: Sendable {
  func injectFault(
    _ request: Firstlight_Drill_V1_InjectFaultRequest, _ context: CallContext
  ) async throws -> Firstlight_Drill_V1_InjectFaultResponse
}

extension FaultInjectionServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.unary(Firstlight_Drill_V1_FaultInjectionService.injectFault, injectFault)
  }
}

/// Handles every method of `firstlight.drill.v1.PressureDrillService`.
protocol PressureDrillServiceHandler: Sendable {
  func simulateLevel(
    _ request: Firstlight_Drill_V1_SimulateLevelRequest, _ context: CallContext
  ) async throws -> Firstlight_Drill_V1_SimulateLevelResponse
}

extension PressureDrillServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.unary(Firstlight_Drill_V1_PressureDrillService.simulateLevel, simulateLevel)
  }
}

/// Handles every method of `firstlight.drill.v1.TaskPoolDrillService`.
protocol TaskPoolDrillServiceHandler: Sendable {
  func blockTaskPool(
    _ request: Firstlight_Drill_V1_BlockTaskPoolRequest, _ context: CallContext
  ) async throws -> Firstlight_Drill_V1_BlockTaskPoolResponse
}

extension TaskPoolDrillServiceHandler {
  /// Adds every method of the service to a router.
  func register(on router: inout ServiceRouter) {
    router.unary(Firstlight_Drill_V1_TaskPoolDrillService.blockTaskPool, blockTaskPool)
  }
}
