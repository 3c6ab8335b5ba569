// DO NOT EDIT. Made by scripts/generate-protos.
// swift-format-ignore-file

public import RPCCore

/// The methods of `firstlight.v1.AssetWriterService`.
public enum Firstlight_V1_AssetWriterService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.AssetWriterService"
  /// `firstlight.v1.AssetWriterService/CreateWriter`: one request, one response.
  public static let createWriter = MethodDescriptor(
    service: serviceName, method: "CreateWriter", kind: .unary)
  /// `firstlight.v1.AssetWriterService/ConfigureWriter`: one request, one response.
  public static let configureWriter = MethodDescriptor(
    service: serviceName, method: "ConfigureWriter", kind: .unary)
  /// `firstlight.v1.AssetWriterService/GetWriter`: one request, one response.
  public static let getWriter = MethodDescriptor(
    service: serviceName, method: "GetWriter", kind: .unary)
  /// `firstlight.v1.AssetWriterService/ListWriters`: one request, one response.
  public static let listWriters = MethodDescriptor(
    service: serviceName, method: "ListWriters", kind: .unary)
  /// `firstlight.v1.AssetWriterService/StartWriting`: one request, one response.
  public static let startWriting = MethodDescriptor(
    service: serviceName, method: "StartWriting", kind: .unary)
  /// `firstlight.v1.AssetWriterService/AppendSamples`: streams both ways.
  public static let appendSamples = MethodDescriptor(
    service: serviceName, method: "AppendSamples", kind: .bidirectional)
  /// `firstlight.v1.AssetWriterService/AttachToOutput`: one request, one response.
  public static let attachToOutput = MethodDescriptor(
    service: serviceName, method: "AttachToOutput", kind: .unary)
  /// `firstlight.v1.AssetWriterService/EndSession`: one request, one response.
  public static let endSession = MethodDescriptor(
    service: serviceName, method: "EndSession", kind: .unary)
  /// `firstlight.v1.AssetWriterService/FinishWriting`: one request, one response.
  public static let finishWriting = MethodDescriptor(
    service: serviceName, method: "FinishWriting", kind: .unary)
  /// `firstlight.v1.AssetWriterService/CancelWriting`: one request, one response.
  public static let cancelWriting = MethodDescriptor(
    service: serviceName, method: "CancelWriting", kind: .unary)
  /// `firstlight.v1.AssetWriterService/WatchWriter`: one request, a stream of responses.
  public static let watchWriter = MethodDescriptor(
    service: serviceName, method: "WatchWriter", kind: .serverStreaming)
}

/// The methods of `firstlight.v1.PressureService`.
public enum Firstlight_V1_PressureService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.PressureService"
  /// `firstlight.v1.PressureService/GetSystemPressure`: one request, one response.
  public static let getSystemPressure = MethodDescriptor(
    service: serviceName, method: "GetSystemPressure", kind: .unary)
  /// `firstlight.v1.PressureService/WatchSystemPressure`: one request, a stream of responses.
  public static let watchSystemPressure = MethodDescriptor(
    service: serviceName, method: "WatchSystemPressure", kind: .serverStreaming)
  /// `firstlight.v1.PressureService/GetPressureHistory`: one request, one response.
  public static let getPressureHistory = MethodDescriptor(
    service: serviceName, method: "GetPressureHistory", kind: .unary)
  /// `firstlight.v1.PressureService/GetAdaptationLadder`: one request, one response.
  public static let getAdaptationLadder = MethodDescriptor(
    service: serviceName, method: "GetAdaptationLadder", kind: .unary)
}

/// The methods of `firstlight.v1.PreviewService`.
public enum Firstlight_V1_PreviewService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.PreviewService"
  /// `firstlight.v1.PreviewService/StreamPreview`: one request, a stream of responses.
  public static let streamPreview = MethodDescriptor(
    service: serviceName, method: "StreamPreview", kind: .serverStreaming)
  /// `firstlight.v1.PreviewService/AcknowledgeFrames`: one request, one response.
  public static let acknowledgeFrames = MethodDescriptor(
    service: serviceName, method: "AcknowledgeFrames", kind: .unary)
}

/// The methods of `firstlight.v1.DelayedFeedService`.
public enum Firstlight_V1_DelayedFeedService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.DelayedFeedService"
  /// `firstlight.v1.DelayedFeedService/StreamDelayedFrames`: one request, a stream of responses.
  public static let streamDelayedFrames = MethodDescriptor(
    service: serviceName, method: "StreamDelayedFrames", kind: .serverStreaming)
  /// `firstlight.v1.DelayedFeedService/StreamDelayedChunks`: one request, a stream of responses.
  public static let streamDelayedChunks = MethodDescriptor(
    service: serviceName, method: "StreamDelayedChunks", kind: .serverStreaming)
}

/// The methods of `firstlight.v1.DeviceService`.
public enum Firstlight_V1_DeviceService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.DeviceService"
  /// `firstlight.v1.DeviceService/ListDevices`: one request, one response.
  public static let listDevices = MethodDescriptor(
    service: serviceName, method: "ListDevices", kind: .unary)
  /// `firstlight.v1.DeviceService/GetDevice`: one request, one response.
  public static let getDevice = MethodDescriptor(
    service: serviceName, method: "GetDevice", kind: .unary)
  /// `firstlight.v1.DeviceService/WatchDevices`: one request, a stream of responses.
  public static let watchDevices = MethodDescriptor(
    service: serviceName, method: "WatchDevices", kind: .serverStreaming)
  /// `firstlight.v1.DeviceService/SetControls`: one request, one response.
  public static let setControls = MethodDescriptor(
    service: serviceName, method: "SetControls", kind: .unary)
}

/// The methods of `firstlight.v1.PhotoLibraryService`.
public enum Firstlight_V1_PhotoLibraryService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.PhotoLibraryService"
  /// `firstlight.v1.PhotoLibraryService/PerformChanges`: one request, one response.
  public static let performChanges = MethodDescriptor(
    service: serviceName, method: "PerformChanges", kind: .unary)
  /// `firstlight.v1.PhotoLibraryService/ListAssets`: one request, one response.
  public static let listAssets = MethodDescriptor(
    service: serviceName, method: "ListAssets", kind: .unary)
  /// `firstlight.v1.PhotoLibraryService/GetAsset`: one request, one response.
  public static let getAsset = MethodDescriptor(
    service: serviceName, method: "GetAsset", kind: .unary)
  /// `firstlight.v1.PhotoLibraryService/RequestImage`: one request, a stream of responses.
  public static let requestImage = MethodDescriptor(
    service: serviceName, method: "RequestImage", kind: .serverStreaming)
  /// `firstlight.v1.PhotoLibraryService/DownloadAsset`: one request, a stream of responses.
  public static let downloadAsset = MethodDescriptor(
    service: serviceName, method: "DownloadAsset", kind: .serverStreaming)
  /// `firstlight.v1.PhotoLibraryService/WatchAssets`: one request, a stream of responses.
  public static let watchAssets = MethodDescriptor(
    service: serviceName, method: "WatchAssets", kind: .serverStreaming)
}

/// The methods of `firstlight.v1.PhotoService`.
public enum Firstlight_V1_PhotoService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.PhotoService"
  /// `firstlight.v1.PhotoService/CapturePhoto`: one request, a stream of responses.
  public static let capturePhoto = MethodDescriptor(
    service: serviceName, method: "CapturePhoto", kind: .serverStreaming)
  /// `firstlight.v1.PhotoService/GetCapture`: one request, one response.
  public static let getCapture = MethodDescriptor(
    service: serviceName, method: "GetCapture", kind: .unary)
  /// `firstlight.v1.PhotoService/ListCaptures`: one request, one response.
  public static let listCaptures = MethodDescriptor(
    service: serviceName, method: "ListCaptures", kind: .unary)
  /// `firstlight.v1.PhotoService/DownloadCapture`: one request, a stream of responses.
  public static let downloadCapture = MethodDescriptor(
    service: serviceName, method: "DownloadCapture", kind: .serverStreaming)
  /// `firstlight.v1.PhotoService/WatchReadiness`: one request, a stream of responses.
  public static let watchReadiness = MethodDescriptor(
    service: serviceName, method: "WatchReadiness", kind: .serverStreaming)
  /// `firstlight.v1.PhotoService/StartTrackingCapture`: one request, one response.
  public static let startTrackingCapture = MethodDescriptor(
    service: serviceName, method: "StartTrackingCapture", kind: .unary)
  /// `firstlight.v1.PhotoService/StopTrackingCapture`: one request, one response.
  public static let stopTrackingCapture = MethodDescriptor(
    service: serviceName, method: "StopTrackingCapture", kind: .unary)
  /// `firstlight.v1.PhotoService/WatchCaptures`: one request, a stream of responses.
  public static let watchCaptures = MethodDescriptor(
    service: serviceName, method: "WatchCaptures", kind: .serverStreaming)
  /// `firstlight.v1.PhotoService/PreparePhotoSettings`: one request, one response.
  public static let preparePhotoSettings = MethodDescriptor(
    service: serviceName, method: "PreparePhotoSettings", kind: .unary)
}

/// The methods of `firstlight.v1.RecordingService`.
public enum Firstlight_V1_RecordingService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.RecordingService"
  /// `firstlight.v1.RecordingService/StartRecording`: one request, a stream of responses.
  public static let startRecording = MethodDescriptor(
    service: serviceName, method: "StartRecording", kind: .serverStreaming)
  /// `firstlight.v1.RecordingService/StopRecording`: one request, one response.
  public static let stopRecording = MethodDescriptor(
    service: serviceName, method: "StopRecording", kind: .unary)
  /// `firstlight.v1.RecordingService/PauseRecording`: one request, one response.
  public static let pauseRecording = MethodDescriptor(
    service: serviceName, method: "PauseRecording", kind: .unary)
  /// `firstlight.v1.RecordingService/ResumeRecording`: one request, one response.
  public static let resumeRecording = MethodDescriptor(
    service: serviceName, method: "ResumeRecording", kind: .unary)
  /// `firstlight.v1.RecordingService/GetRecording`: one request, one response.
  public static let getRecording = MethodDescriptor(
    service: serviceName, method: "GetRecording", kind: .unary)
  /// `firstlight.v1.RecordingService/ListRecordings`: one request, one response.
  public static let listRecordings = MethodDescriptor(
    service: serviceName, method: "ListRecordings", kind: .unary)
  /// `firstlight.v1.RecordingService/ListRecordingSpans`: one request, one response.
  public static let listRecordingSpans = MethodDescriptor(
    service: serviceName, method: "ListRecordingSpans", kind: .unary)
  /// `firstlight.v1.RecordingService/DeleteRecording`: one request, one response.
  public static let deleteRecording = MethodDescriptor(
    service: serviceName, method: "DeleteRecording", kind: .unary)
  /// `firstlight.v1.RecordingService/DownloadRecording`: one request, a stream of responses.
  public static let downloadRecording = MethodDescriptor(
    service: serviceName, method: "DownloadRecording", kind: .serverStreaming)
  /// `firstlight.v1.RecordingService/ExportRecording`: one request, a stream of responses.
  public static let exportRecording = MethodDescriptor(
    service: serviceName, method: "ExportRecording", kind: .serverStreaming)
}

/// The methods of `firstlight.v1.ServerService`.
public enum Firstlight_V1_ServerService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.ServerService"
  /// `firstlight.v1.ServerService/GetServerInfo`: one request, one response.
  public static let getServerInfo = MethodDescriptor(
    service: serviceName, method: "GetServerInfo", kind: .unary)
}

/// The methods of `firstlight.v1.SessionService`.
public enum Firstlight_V1_SessionService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.SessionService"
  /// `firstlight.v1.SessionService/CreateSession`: one request, one response.
  public static let createSession = MethodDescriptor(
    service: serviceName, method: "CreateSession", kind: .unary)
  /// `firstlight.v1.SessionService/GetSession`: one request, one response.
  public static let getSession = MethodDescriptor(
    service: serviceName, method: "GetSession", kind: .unary)
  /// `firstlight.v1.SessionService/ListSessions`: one request, one response.
  public static let listSessions = MethodDescriptor(
    service: serviceName, method: "ListSessions", kind: .unary)
  /// `firstlight.v1.SessionService/DeleteSession`: one request, one response.
  public static let deleteSession = MethodDescriptor(
    service: serviceName, method: "DeleteSession", kind: .unary)
  /// `firstlight.v1.SessionService/ConfigureSession`: one request, one response.
  public static let configureSession = MethodDescriptor(
    service: serviceName, method: "ConfigureSession", kind: .unary)
  /// `firstlight.v1.SessionService/StartSession`: one request, one response.
  public static let startSession = MethodDescriptor(
    service: serviceName, method: "StartSession", kind: .unary)
  /// `firstlight.v1.SessionService/StopSession`: one request, one response.
  public static let stopSession = MethodDescriptor(
    service: serviceName, method: "StopSession", kind: .unary)
  /// `firstlight.v1.SessionService/RunDeferredStart`: one request, one response.
  public static let runDeferredStart = MethodDescriptor(
    service: serviceName, method: "RunDeferredStart", kind: .unary)
  /// `firstlight.v1.SessionService/WatchSession`: one request, a stream of responses.
  public static let watchSession = MethodDescriptor(
    service: serviceName, method: "WatchSession", kind: .serverStreaming)
  /// `firstlight.v1.SessionService/WatchAudioLevels`: one request, a stream of responses.
  public static let watchAudioLevels = MethodDescriptor(
    service: serviceName, method: "WatchAudioLevels", kind: .serverStreaming)
  /// `firstlight.v1.SessionService/GetLaunchTimeline`: one request, one response.
  public static let getLaunchTimeline = MethodDescriptor(
    service: serviceName, method: "GetLaunchTimeline", kind: .unary)
  /// `firstlight.v1.SessionService/SuggestLowerCost`: one request, one response.
  public static let suggestLowerCost = MethodDescriptor(
    service: serviceName, method: "SuggestLowerCost", kind: .unary)
}

/// The methods of `firstlight.v1.VideoDataService`.
public enum Firstlight_V1_VideoDataService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.VideoDataService"
  /// `firstlight.v1.VideoDataService/StreamVideoData`: one request, a stream of responses.
  public static let streamVideoData = MethodDescriptor(
    service: serviceName, method: "StreamVideoData", kind: .serverStreaming)
  /// `firstlight.v1.VideoDataService/ProcessFrames`: streams both ways.
  public static let processFrames = MethodDescriptor(
    service: serviceName, method: "ProcessFrames", kind: .bidirectional)
  /// `firstlight.v1.VideoDataService/SetOverlay`: one request, one response.
  public static let setOverlay = MethodDescriptor(
    service: serviceName, method: "SetOverlay", kind: .unary)
}

/// The methods of `firstlight.v1.VideoStorageService`.
public enum Firstlight_V1_VideoStorageService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.VideoStorageService"
  /// `firstlight.v1.VideoStorageService/GetVideoStorage`: one request, one response.
  public static let getVideoStorage = MethodDescriptor(
    service: serviceName, method: "GetVideoStorage", kind: .unary)
  /// `firstlight.v1.VideoStorageService/WatchVideoStorage`: one request, a stream of responses.
  public static let watchVideoStorage = MethodDescriptor(
    service: serviceName, method: "WatchVideoStorage", kind: .serverStreaming)
  /// `firstlight.v1.VideoStorageService/ReplenishVideoStorage`: one request, one response.
  public static let replenishVideoStorage = MethodDescriptor(
    service: serviceName, method: "ReplenishVideoStorage", kind: .unary)
  /// `firstlight.v1.VideoStorageService/SetVideoStorageCapacity`: one request, one response.
  public static let setVideoStorageCapacity = MethodDescriptor(
    service: serviceName, method: "SetVideoStorageCapacity", kind: .unary)
  /// `firstlight.v1.VideoStorageService/OpenSettings`: one request, one response.
  public static let openSettings = MethodDescriptor(
    service: serviceName, method: "OpenSettings", kind: .unary)
}

/// The methods of `firstlight.v1.ViewfinderService`.
public enum Firstlight_V1_ViewfinderService {
  /// The service's full name.
  public static let serviceName = "firstlight.v1.ViewfinderService"
  /// `firstlight.v1.ViewfinderService/StreamViewfinder`: one request, a stream of responses.
  public static let streamViewfinder = MethodDescriptor(
    service: serviceName, method: "StreamViewfinder", kind: .serverStreaming)
  /// `firstlight.v1.ViewfinderService/UpdateViewfinder`: one request, one response.
  public static let updateViewfinder = MethodDescriptor(
    service: serviceName, method: "UpdateViewfinder", kind: .unary)
}

/// The methods of `firstlight.drill.v1.FaultInjectionService`.
public enum Firstlight_Drill_V1_FaultInjectionService {
  /// The service's full name.
  public static let serviceName = "firstlight.drill.v1.FaultInjectionService"
  /// `firstlight.drill.v1.FaultInjectionService/InjectFault`: one request, one response.
  public static let injectFault = MethodDescriptor(
    service: serviceName, method: "InjectFault", kind: .unary)
}

/// The methods of `firstlight.drill.v1.PressureDrillService`.
public enum Firstlight_Drill_V1_PressureDrillService {
  /// The service's full name.
  public static let serviceName = "firstlight.drill.v1.PressureDrillService"
  /// `firstlight.drill.v1.PressureDrillService/SimulateLevel`: one request, one response.
  public static let simulateLevel = MethodDescriptor(
    service: serviceName, method: "SimulateLevel", kind: .unary)
}

/// The methods of `firstlight.drill.v1.TaskPoolDrillService`.
public enum Firstlight_Drill_V1_TaskPoolDrillService {
  /// The service's full name.
  public static let serviceName = "firstlight.drill.v1.TaskPoolDrillService"
  /// `firstlight.drill.v1.TaskPoolDrillService/BlockTaskPool`: one request, one response.
  public static let blockTaskPool = MethodDescriptor(
    service: serviceName, method: "BlockTaskPool", kind: .unary)
}
