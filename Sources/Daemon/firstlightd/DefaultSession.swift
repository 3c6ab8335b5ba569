internal import CaptureCore
internal import CaptureSessions
internal import FirstlightServices
internal import Logging
internal import ServiceLifecycle

/// The session of a daemon whose configuration file says nothing of sessions: `sessions/default`, on demand, on the
/// first camera.
struct DefaultSession: Service {
  /// The id of the session, which viewers get who name none.
  static let id = "default"

  private let session: CaptureSession
  private let devices: DeviceRegistry
  private let logger: Logger

  /// Creates the session. Until ``declare()`` has configured it, viewers wait for its outputs.
  ///
  /// - Throws: an error when the registry is full or has a session of this name.
  init(in registry: SessionRegistry, on devices: DeviceRegistry, logger: Logger) async throws {
    session = try await registry.create(
      id: Self.id, idleTimeout: 0, isBeingCreated: true,
      onDemand: .seconds(DeclaredSessionStart.usualIdleTimeout))
    self.devices = devices
    self.logger = logger
  }

  /// Gives the session its camera, waiting for one if there is none. Then idles until the daemon stops, because the end
  /// of a service would end the daemon.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      var position = devices.events.lastID
      while await !declare(), let change = try? await devices.events.entry(after: position) { position = change.id }
    }
    try? await gracefulShutdown()
  }

  /// Configures the session with the first camera. Without any camera the session only gets its outputs, so that
  /// viewers can wait there. Changes nothing when the session has a camera already, which a client may have chosen.
  ///
  /// - Returns: false when there was no camera.
  @discardableResult func declare() async -> Bool {
    let present = await session.snapshot()
    guard present.configuration.inputs.isEmpty else {
      await session.endCreation()
      return true
    }
    let camera = Self.first(of: await devices.devices())
    do {
      try await DeclaredStart(session, Self.configuration(of: camera)).commit(etag: present.etag)
      await session.endCreation()
      return camera != nil
    } catch {
      logger.warning(
        "The default session cannot be configured.",
        metadata: ["device.id": "\(camera?.id ?? "")", "error.message": "\(ErrorMapping.message(of: error))"])
      await session.endCreation()
      return true
    }
  }

  /// The first real camera or, without any real camera, the first synthetic one. A camera that the daemon may not open
  /// comes after those that it may.
  ///
  /// - Parameter cameras: the cameras that are present, in the order in which the daemon lists them.
  private static func first(of cameras: [Device]) -> Device? {
    let real = cameras.filter { $0.type != .synthetic }
    let candidates = real.isEmpty ? cameras : real
    return candidates.first { $0.unavailable == nil } ?? candidates.first
  }

  /// A preview, and a photo output with the features that let a person take one photo after the other. Each camera that
  /// has a format for the usual preset supports them.
  private static func configuration(of camera: Device?) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    if let camera { configuration.inputs = [.init(deviceID: camera.id)] }
    configuration.preview = .init()
    var photo = SessionConfiguration.Photo(deferredStart: true, zeroShutterLag: true)
    photo.responsiveCapture = true
    photo.fastCapturePrioritization = true
    configuration.photo = photo
    return configuration
  }
}
