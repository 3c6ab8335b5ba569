public import CaptureSessions
public import GRPCTransport
public import PhotoCapture
public import FrameDelivery
public import SystemPressure

/// All that the services work on.
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
  public static let serviceNames = ["Device", "Session", "Preview", "VideoData", "Photo", "Pressure", "Server"].map {
    "firstlight.v1.\($0)Service"
  }

  /// Adds every method but that of ServerService: see ``ServerHandlers``.
  public func register(on router: inout RPCRouter) {
    DeviceHandlers(devices: devices, sessions: sessions).register(on: &router)
    SessionHandlers(sessions: sessions).register(on: &router)
    PreviewHandlers(sessions: sessions, readers: readers).register(on: &router)
    VideoDataHandlers(sessions: sessions, temperature: { [pressure] in pressure.current.readings.warmest }).register(
      on: &router)
    PhotoHandlers(sessions: sessions, captures: captures).register(on: &router)
    PressureHandlers(monitor: pressure, ladder: ladder, devices: devices).register(on: &router)
  }
}
