public import CaptureSessions
internal import FirstlightAPI
public import PhotoCapture
public import FrameDelivery
internal import RPCCore
public import SystemPressure

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
  /// The pressure of the machine and of each camera.
  public var pressure: PressureMonitor
  /// The ladder that PressureService tells clients.
  public var ladder: AdaptationLadder

  /// Makes the services of these objects. Nothing is served before a transport serves the router of
  /// ``router(facts:health:drills:)``.
  public init(
    devices: DeviceRegistry, sessions: SessionRegistry, readers: ReaderDirectory, captures: CaptureStore,
    pressure: PressureMonitor, ladder: AdaptationLadder
  ) {
    self.devices = devices
    self.sessions = sessions
    self.readers = readers
    self.captures = captures
    self.pressure = pressure
    self.ladder = ladder
  }

  /// The full names of the services that every daemon has, for the health service. The services for drills are not
  /// among them.
  public static let serviceNames = [
    Firstlight_V1_DeviceService.serviceName, Firstlight_V1_SessionService.serviceName,
    Firstlight_V1_PreviewService.serviceName, Firstlight_V1_VideoDataService.serviceName,
    Firstlight_V1_PhotoService.serviceName, Firstlight_V1_PressureService.serviceName,
    Firstlight_V1_ServerService.serviceName,
  ]

  /// Adds the methods of every camera service to `router`. ServerService is not among them: its method must be added
  /// after all others, see ``ServerHandlers``.
  func register(on router: inout RPCRouter) {
    DeviceHandlers(devices: devices, sessions: sessions).register(on: &router)
    SessionHandlers(sessions: sessions).register(on: &router)
    PreviewHandlers(sessions: sessions, readers: readers).register(on: &router)
    VideoDataHandlers(sessions: sessions, temperature: { [pressure] in pressure.current.readings.warmest }).register(
      on: &router)
    PhotoHandlers(sessions: sessions, captures: captures).register(on: &router)
    PressureHandlers(monitor: pressure, ladder: ladder, devices: devices).register(on: &router)
  }
}
