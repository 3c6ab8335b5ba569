public import CaptureSessions
public import DelayedFeeds
internal import FirstlightAPI
public import FrameDelivery
public import Logging
public import MovieRecording
public import PhotoCapture
public import PhotoLibrary
public import RPCCore
public import SystemPressure
public import VideoStorage

/// What makes and keeps the movies of the daemon.
public struct MovieServices: Sendable {
  /// The recordings of the daemon, in progress and finished.
  public let recordings: Recordings
  /// Makes movies of spans of time of the recordings.
  let exports: RecordingExports
  /// The writers of movies of what clients send.
  let writers: AssetWriters
  /// The space for movies whose writes do not stall.
  public let videoStorage: VideoStorage

  init(_ recordings: Recordings, _ videoStorage: VideoStorage) {
    (self.recordings, self.videoStorage) = (recordings, videoStorage)
    exports = RecordingExports(of: recordings)
    writers = AssetWriters(recordings)
  }
}

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
  /// The photos that outlive their sessions.
  public let library: PhotoLibrary
  /// What makes and keeps movies.
  public let movies: MovieServices
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
    library: PhotoLibrary, recordings: Recordings, videoStorage: VideoStorage, configurationFile: String?,
    delayedFeeds: DelayedFeedRegistry, pressure: PressureMonitor, ladder: AdaptationLadder,
    access: any AccessCheck, logger: Logger
  ) {
    self.devices = devices
    self.sessions = sessions
    self.readers = readers
    self.captures = captures
    self.library = library
    movies = MovieServices(recordings, videoStorage)
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
    Firstlight_V1_PhotoService.serviceName, Firstlight_V1_PhotoLibraryService.serviceName,
    Firstlight_V1_RecordingService.serviceName, Firstlight_V1_AssetWriterService.serviceName,
    Firstlight_V1_VideoStorageService.serviceName, Firstlight_V1_DelayedFeedService.serviceName,
    Firstlight_V1_PressureService.serviceName, Firstlight_V1_ViewfinderService.serviceName,
    Firstlight_V1_ServerService.serviceName,
  ]
}

extension CameraServices {
  /// Makes the router of every method that the daemon serves. Each transport serves this router.
  ///
  /// - Parameters:
  ///   - facts: the facts that GetServerInfo tells clients.
  ///   - health: the state that the health service tells clients.
  ///   - drills: the services for drills; nil, for none, unless an operator asked for drills.
  /// - Throws: the decoding error when the generated descriptor set cannot be decoded.
  public func router(facts: ServerFacts, health: HealthState, drills: Drills?) throws -> RPCRouter {
    var router = ServiceRouter(methods: RPCRouter(access: access), changes: changes)
    register(on: &router)
    if let drills {
      PressureDrillHandlers(monitor: pressure, sessions: sessions, ladder: ladder).register(on: &router)
      TaskPoolDrillHandlers().register(on: &router)
      if let inject = drills.injectFault { FaultInjectionHandlers(inject: inject).register(on: &router) }
    }
    HealthService.register(on: &router.methods, state: health)
    // ServerService and reflection come last, because they tell clients which services the router has by then.
    ServerHandlers(facts: facts, besides: router.methods.services).register(on: &router)
    try ReflectionService.register(on: &router.methods, fileDescriptorSet: FirstlightDescriptorSet.bytes)
    return router.methods
  }

  /// Adds the methods of every camera service to a router.
  private func register(on router: inout ServiceRouter) {
    let storageRule = VideoStorageRule(storage: movies.videoStorage, recordings: movies.recordings)
    let device = DeviceHandlers(devices: devices, sessions: sessions)
    let session = SessionHandlers(sessions: sessions, videoStorage: storageRule)
    let previews = PreviewHandlers(sessions: sessions, readers: readers)
    let photos = PhotoHandlers(sessions: sessions, captures: captures)
    let heat = PressureHandlers(monitor: pressure, ladder: ladder, devices: devices)
    device.register(on: &router)
    session.register(on: &router)
    previews.register(on: &router)
    VideoDataHandlers(sessions: sessions, temperature: { [pressure] in pressure.current.readings.warmest })
      .register(on: &router)
    photos.register(on: &router)
    let libraryChanges = LibraryChanges(pool: library.pool, captures: captures, access: access)
    PhotoLibraryHandlers(library: library, changes: libraryChanges).register(on: &router)
    RecordingHandlers(sessions: sessions, recordings: movies.recordings, exports: movies.exports)
      .register(on: &router)
    AssetWriterHandlers(sessions: sessions, writers: movies.writers, videoStorage: storageRule).register(on: &router)
    VideoStorageHandlers(storage: movies.videoStorage, configurationFile: configurationFile).register(on: &router)
    DelayedFeedHandlers(sessions: sessions, feeds: delayedFeeds).register(on: &router)
    heat.register(on: &router)
    ViewfinderHandlers(
      access: access, readers: readers, previews: previews, sessions: session, photos: photos, pressure: heat,
      devices: device
    ).register(on: &router)
  }
}
