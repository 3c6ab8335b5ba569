public import CaptureSessions
internal import FirstlightAPI
public import PhotoCapture
public import FrameDelivery
internal import RPCCore
public import SystemPressure

/// Everything that the services work on.
public struct CameraServices: Sendable {
  public var devices: DeviceRegistry
  public var sessions: SessionRegistry
  public var readers: ReaderDirectory
  public var captures: CaptureStore
  public var pressure: PressureMonitor
  public var ladder: AdaptationLadder

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

  /// The names of the services, as health reports them.
  public static let serviceNames = [
    Firstlight_V1_DeviceService.serviceName, Firstlight_V1_SessionService.serviceName,
    Firstlight_V1_PreviewService.serviceName, Firstlight_V1_VideoDataService.serviceName,
    Firstlight_V1_PhotoService.serviceName, Firstlight_V1_PressureService.serviceName,
    Firstlight_V1_ServerService.serviceName,
  ]

  /// Adds every method but that of ServerService: see ``ServerHandlers``.
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
