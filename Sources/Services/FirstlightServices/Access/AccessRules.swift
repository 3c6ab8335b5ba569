internal import FirstlightAPI
internal import HTTPTransport
public import RPCCore

// The one table of who needs which right. The compiler asks for the rule of a page, and the router for that of a
// method.

extension Permission {
  /// Learn what the daemon is and how it does, and open the viewfinder page.
  public static let viewServer = Permission("server.view")
  static let viewDevices = Permission("device.view")
  static let controlDevices = Permission("device.control")
  static let viewSessions = Permission("session.view")
  static let controlSessions = Permission("session.control")
  /// See and hear what a session captures.
  static let viewMedia = Permission("media.view")
  /// Draw over the pictures of a preview.
  static let drawOverlays = Permission("media.draw")
  static let takePhotos = Permission("photo.take")
  static let viewPhotos = Permission("photo.view")
  static let makeRecordings = Permission("recording.make")
  static let viewRecordings = Permission("recording.view")
  /// Write movies of what the client sends, or of an output.
  static let writeMovies = Permission("writer.use")
  static let viewStorage = Permission("storage.view")
  static let fillStorage = Permission("storage.fill")
  /// Set the capacity of the video storage, which only operators may, see ``StandardAccess``.
  static let setStorageCapacity = Permission("storage.set_capacity")
  static let addToLibrary = Permission("library.add")
  static let readLibrary = Permission("library.read")
  /// Delete photos of the library.
  static let writeLibrary = Permission("library.write")
  static let runDrills = Permission("drill.run")
}

extension MethodRule {
  /// The rules of all methods, those of gRPC's own services too. The stream of a viewfinder has no resource: each of
  /// its parts passes the rule of the method that it is named after. The local socket passes that of StreamVideoData.
  static let all: [MethodRule] = [
    server, devices, sessions, media, photos, library, recordings, writers, storage, drills,
  ].flatMap { $0 }

  private static let server: [MethodRule] = [
    .init(Firstlight_V1_ServerService.getServerInfo, .viewServer),
    .init(Grpc_Health_V1_Health.check, .viewServer),
    .init(Grpc_Health_V1_Health.watch, .viewServer),
    .init(Grpc_Reflection_V1_ServerReflection.serverReflectionInfo, .viewServer),
    .init(Grpc_Reflection_V1alpha_ServerReflection.serverReflectionInfo, .viewServer),
    .init(
      Firstlight_V1_PressureService.getSystemPressure, .viewServer,
      on: \Firstlight_V1_GetSystemPressureRequest.device),
    .init(
      Firstlight_V1_PressureService.watchSystemPressure, .viewServer,
      on: \Firstlight_V1_WatchSystemPressureRequest.device),
    .init(Firstlight_V1_PressureService.getPressureHistory, .viewServer),
    .init(Firstlight_V1_PressureService.getAdaptationLadder, .viewServer),
  ]

  private static let devices: [MethodRule] = [
    .init(Firstlight_V1_DeviceService.listDevices, .viewDevices),
    .init(Firstlight_V1_DeviceService.getDevice, .viewDevices, on: \Firstlight_V1_GetDeviceRequest.name),
    .init(Firstlight_V1_DeviceService.watchDevices, .viewDevices),
    .init(Firstlight_V1_DeviceService.setControls, .controlDevices, on: \Firstlight_V1_SetControlsRequest.device),
  ]

  private static let sessions: [MethodRule] = [
    .init(Firstlight_V1_SessionService.createSession, .controlSessions) {
      (request: Firstlight_V1_CreateSessionRequest) in
      request.sessionID.isEmpty ? "" : "sessions/\(request.sessionID)"
    },
    .init(Firstlight_V1_SessionService.getSession, .viewSessions, on: \Firstlight_V1_GetSessionRequest.name),
    .init(Firstlight_V1_SessionService.listSessions, .viewSessions),
    .init(Firstlight_V1_SessionService.deleteSession, .controlSessions, on: \Firstlight_V1_DeleteSessionRequest.name),
    .init(
      Firstlight_V1_SessionService.configureSession, .controlSessions,
      on: \Firstlight_V1_ConfigureSessionRequest.name),
    .init(Firstlight_V1_SessionService.startSession, .controlSessions, on: \Firstlight_V1_StartSessionRequest.name),
    .init(Firstlight_V1_SessionService.stopSession, .controlSessions, on: \Firstlight_V1_StopSessionRequest.name),
    .init(
      Firstlight_V1_SessionService.runDeferredStart, .controlSessions,
      on: \Firstlight_V1_RunDeferredStartRequest.name),
    .init(Firstlight_V1_SessionService.watchSession, .viewSessions, on: \Firstlight_V1_WatchSessionRequest.name),
    .init(
      Firstlight_V1_SessionService.watchAudioLevels, .viewSessions, on: \Firstlight_V1_WatchAudioLevelsRequest.name),
    .init(
      Firstlight_V1_SessionService.getLaunchTimeline, .viewSessions, on: \Firstlight_V1_GetLaunchTimelineRequest.name),
    .init(
      Firstlight_V1_SessionService.suggestLowerCost, .viewSessions, on: \Firstlight_V1_SuggestLowerCostRequest.name),
  ]

  private static let media: [MethodRule] = [
    .init(Firstlight_V1_PreviewService.streamPreview, .viewMedia, on: \Firstlight_V1_StreamPreviewRequest.session),
    // The token of a stream is the secret of whoever opened it.
    .init(Firstlight_V1_PreviewService.acknowledgeFrames, .viewMedia),
    .init(
      Firstlight_V1_VideoDataService.streamVideoData, .viewMedia, on: \Firstlight_V1_StreamVideoDataRequest.session),
    .init(
      Firstlight_V1_VideoDataService.processFrames, .drawOverlays,
      on: \Firstlight_V1_ProcessFramesRequest.processingStart.session),
    .init(Firstlight_V1_VideoDataService.setOverlay, .drawOverlays, on: \Firstlight_V1_SetOverlayRequest.session),
    .init(
      Firstlight_V1_DelayedFeedService.streamDelayedFrames, .viewMedia,
      on: \Firstlight_V1_StreamDelayedFramesRequest.session),
    .init(
      Firstlight_V1_DelayedFeedService.streamDelayedChunks, .viewMedia,
      on: \Firstlight_V1_StreamDelayedChunksRequest.session),
    .init(Firstlight_V1_ViewfinderService.streamViewfinder, .viewMedia),
    .init(Firstlight_V1_ViewfinderService.updateViewfinder, .viewMedia),
  ]

  private static let photos: [MethodRule] = [
    .init(Firstlight_V1_PhotoService.capturePhoto, .takePhotos, on: \Firstlight_V1_CapturePhotoRequest.session),
    .init(Firstlight_V1_PhotoService.getCapture, .viewPhotos, on: \Firstlight_V1_GetCaptureRequest.name),
    .init(Firstlight_V1_PhotoService.listCaptures, .viewPhotos, on: \Firstlight_V1_ListCapturesRequest.session),
    .init(Firstlight_V1_PhotoService.downloadCapture, .viewPhotos, on: \Firstlight_V1_DownloadCaptureRequest.name),
    .init(Firstlight_V1_PhotoService.watchReadiness, .viewPhotos, on: \Firstlight_V1_WatchReadinessRequest.session),
    .init(
      Firstlight_V1_PhotoService.startTrackingCapture, .takePhotos,
      on: \Firstlight_V1_StartTrackingCaptureRequest.session),
    .init(
      Firstlight_V1_PhotoService.stopTrackingCapture, .takePhotos,
      on: \Firstlight_V1_StopTrackingCaptureRequest.session),
    .init(Firstlight_V1_PhotoService.watchCaptures, .viewPhotos, on: \Firstlight_V1_WatchCapturesRequest.session),
    .init(
      Firstlight_V1_PhotoService.preparePhotoSettings, .takePhotos,
      on: \Firstlight_V1_PreparePhotoSettingsRequest.session),
  ]

  private static let library: [MethodRule] = [
    // A change that deletes an asset passes the check once more, for `library.write` on that asset.
    .init(Firstlight_V1_PhotoLibraryService.performChanges, .addToLibrary),
    .init(Firstlight_V1_PhotoLibraryService.listAssets, .readLibrary, on: \Firstlight_V1_ListAssetsRequest.session),
    .init(Firstlight_V1_PhotoLibraryService.getAsset, .readLibrary, on: \Firstlight_V1_GetAssetRequest.name),
    .init(Firstlight_V1_PhotoLibraryService.requestImage, .readLibrary, on: \Firstlight_V1_RequestImageRequest.name),
    .init(
      Firstlight_V1_PhotoLibraryService.downloadAsset, .readLibrary, on: \Firstlight_V1_DownloadAssetRequest.name),
    .init(Firstlight_V1_PhotoLibraryService.watchAssets, .readLibrary),
  ]

  private static let recordings: [MethodRule] = [
    .init(
      Firstlight_V1_RecordingService.startRecording, .makeRecordings, on: \Firstlight_V1_StartRecordingRequest.session),
    .init(Firstlight_V1_RecordingService.stopRecording, .makeRecordings, on: \Firstlight_V1_StopRecordingRequest.name),
    .init(
      Firstlight_V1_RecordingService.pauseRecording, .makeRecordings, on: \Firstlight_V1_PauseRecordingRequest.name),
    .init(
      Firstlight_V1_RecordingService.resumeRecording, .makeRecordings, on: \Firstlight_V1_ResumeRecordingRequest.name),
    .init(Firstlight_V1_RecordingService.getRecording, .viewRecordings, on: \Firstlight_V1_GetRecordingRequest.name),
    .init(
      Firstlight_V1_RecordingService.listRecordings, .viewRecordings, on: \Firstlight_V1_ListRecordingsRequest.session),
    .init(
      Firstlight_V1_RecordingService.listRecordingSpans, .viewRecordings,
      on: \Firstlight_V1_ListRecordingSpansRequest.session),
    .init(
      Firstlight_V1_RecordingService.deleteRecording, .makeRecordings, on: \Firstlight_V1_DeleteRecordingRequest.name),
    .init(
      Firstlight_V1_RecordingService.downloadRecording, .viewRecordings,
      on: \Firstlight_V1_DownloadRecordingRequest.name),
    .init(
      Firstlight_V1_RecordingService.exportRecording, .viewRecordings,
      on: \Firstlight_V1_ExportRecordingRequest.session),
  ]

  private static let writers: [MethodRule] = [
    .init(Firstlight_V1_AssetWriterService.createWriter, .writeMovies),
    .init(
      Firstlight_V1_AssetWriterService.configureWriter, .writeMovies, on: \Firstlight_V1_ConfigureWriterRequest.name),
    .init(Firstlight_V1_AssetWriterService.getWriter, .writeMovies, on: \Firstlight_V1_GetWriterRequest.name),
    .init(Firstlight_V1_AssetWriterService.listWriters, .writeMovies),
    .init(Firstlight_V1_AssetWriterService.startWriting, .writeMovies, on: \Firstlight_V1_StartWritingRequest.name),
    .init(
      Firstlight_V1_AssetWriterService.appendSamples, .writeMovies, on: \Firstlight_V1_AppendSamplesRequest.writerName),
    // The movie shows what the session captures.
    .init(
      Firstlight_V1_AssetWriterService.attachToOutput, .writeMovies, on: \Firstlight_V1_AttachToOutputRequest.session),
    .init(Firstlight_V1_AssetWriterService.endSession, .writeMovies, on: \Firstlight_V1_EndSessionRequest.name),
    .init(Firstlight_V1_AssetWriterService.finishWriting, .writeMovies, on: \Firstlight_V1_FinishWritingRequest.name),
    .init(Firstlight_V1_AssetWriterService.cancelWriting, .writeMovies, on: \Firstlight_V1_CancelWritingRequest.name),
    .init(Firstlight_V1_AssetWriterService.watchWriter, .writeMovies, on: \Firstlight_V1_WatchWriterRequest.name),
  ]

  private static let storage: [MethodRule] = [
    .init(Firstlight_V1_VideoStorageService.getVideoStorage, .viewStorage),
    .init(Firstlight_V1_VideoStorageService.watchVideoStorage, .viewStorage),
    .init(Firstlight_V1_VideoStorageService.replenishVideoStorage, .fillStorage),
    .init(Firstlight_V1_VideoStorageService.setVideoStorageCapacity, .setStorageCapacity),
    .init(Firstlight_V1_VideoStorageService.openSettings, .viewStorage),
  ]

  private static let drills: [MethodRule] = [
    .init(
      Firstlight_Drill_V1_FaultInjectionService.injectFault, .runDrills,
      on: \Firstlight_Drill_V1_InjectFaultRequest.device),
    .init(Firstlight_Drill_V1_PressureDrillService.simulateLevel, .runDrills),
    .init(Firstlight_Drill_V1_TaskPoolDrillService.blockTaskPool, .runDrills),
  ]
}

extension PageRule {
  /// `/metrics`, `/healthz`, `/readyz`.
  static let server = PageRule(.viewServer)
  /// The pictures and the live video of a preview.
  static let media = PageRule(.viewMedia) { $0.session }
  /// `/assets/{id}`.
  static let asset = PageRule(.readLibrary) { String($0.path.dropFirst()) }
  /// `/recordings/{id}`.
  static let recording = PageRule(.viewRecordings) { String($0.path.dropFirst()) }
  /// `/recordings`, the movie of a span of time.
  static let span = PageRule(.viewRecordings) { $0.session }
}

extension HTTPPageRequest {
  /// The resource name of the session that the query names, which may be only the id there. Nil for a query without
  /// a session.
  fileprivate var session: String? {
    guard let text = parameters.first(where: { $0.name == "session" })?.value, !text.isEmpty else { return nil }
    return text.contains("/") ? text : "sessions/\(text)"
  }
}
