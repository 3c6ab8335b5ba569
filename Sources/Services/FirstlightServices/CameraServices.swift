public import CaptureSessions
public import DelayedFeeds
internal import FirstlightAPI
public import PhotoCapture
public import FrameDelivery
public import Logging
public import MovieRecording
public import RPCCore
public import SystemPressure
public import VideoStorage

/// The objects that the services work on, which all services of the daemon share.
public struct CameraServices: Sendable {
  /// The cameras of the daemon.
  public var devices: DeviceRegistry
  /// The sessions of the daemon.
  public var sessions: SessionRegistry
  /// Finds readers by their tokens, for AcknowledgeFrames.
  public var readers: ReaderDirectory
  /// The captures of all sessions, in progress and finished, with their photos.
  public var captures: CaptureStore
  /// The recordings of the daemon, in progress and finished.
  public let recordings: Recordings
  /// Makes movies of spans of time of the recordings.
  let exports: RecordingExports
  /// The writers of movies of what clients send.
  let writers: AssetWriters
  /// The space for movies whose writes do not stall.
  public let videoStorage: VideoStorage
  /// The path of the daemon's configuration file; nil for none.
  let configurationFile: String?
  /// What the cameras of the daemon saw some time ago.
  public var delayedFeeds: DelayedFeedRegistry
  /// The pressure of the machine and of each camera.
  public var pressure: PressureMonitor
  /// The steps that sessions take under pressure, in their order. GetAdaptationLadder gives them to clients.
  public var ladder: AdaptationLadder
  /// Checks who calls which method.
  let access: MethodAccess
  /// Takes the calls that change something.
  let changes: ChangeLog

  /// Makes the services that work on the given objects. Clients get no answer before a transport serves the router that
  /// ``router(facts:health:drills:)`` makes.
  ///
  /// - Parameter access: decides who may do what, by the rules of all methods.
  public init(
    devices: DeviceRegistry, sessions: SessionRegistry, readers: ReaderDirectory, captures: CaptureStore,
    recordings: Recordings, videoStorage: VideoStorage, configurationFile: String?,
    delayedFeeds: DelayedFeedRegistry, pressure: PressureMonitor, ladder: AdaptationLadder,
    access: any AccessCheck, logger: Logger
  ) {
    self.devices = devices
    self.sessions = sessions
    self.readers = readers
    self.captures = captures
    self.recordings = recordings
    exports = RecordingExports(of: recordings)
    writers = AssetWriters(recordings)
    self.videoStorage = videoStorage
    self.configurationFile = configurationFile
    self.delayedFeeds = delayedFeeds
    self.pressure = pressure
    self.ladder = ladder
    self.access = MethodAccess(access, MethodRule.all)
    changes = ChangeLog(logger)
  }

  /// The full names of the services that every daemon has, for the health service. The services for drills are not
  /// among them.
  public static let serviceNames = [
    Firstlight_V1_DeviceService.serviceName, Firstlight_V1_SessionService.serviceName,
    Firstlight_V1_PreviewService.serviceName, Firstlight_V1_VideoDataService.serviceName,
    Firstlight_V1_PhotoService.serviceName, Firstlight_V1_RecordingService.serviceName,
    Firstlight_V1_AssetWriterService.serviceName, Firstlight_V1_VideoStorageService.serviceName,
    Firstlight_V1_DelayedFeedService.serviceName,
    Firstlight_V1_PressureService.serviceName, Firstlight_V1_ViewfinderService.serviceName,
    Firstlight_V1_ServerService.serviceName,
  ]
}
