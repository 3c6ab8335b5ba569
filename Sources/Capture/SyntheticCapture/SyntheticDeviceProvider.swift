public import CaptureCore

/// Cameras made of software: real threads, real time, and pictures that say which instant they show.
///
/// ```swift
/// let provider = SyntheticDeviceProvider(count: 2, configuration: .init(scene: .still, noise: 0))
/// ```
public final class SyntheticDeviceProvider: DeviceProvider {
  private let cameras: [SyntheticCamera]
  private let announcer = ChangeAnnouncer()
  /// What tells the cameras apart, whatever they are called; unplugged ones too.
  public let identities: [DeviceIdentity]

  /// Makes `count` cameras, `synthetic-0` and up unless `directory` calls them otherwise, all plugged in.
  public init(
    count: Int, configuration: SyntheticCameraConfiguration = SyntheticCameraConfiguration(),
    directory: DeviceDirectory = DeviceDirectory()
  ) {
    let devices = (0..<max(0, count)).map(SyntheticCamera.device)
    identities = devices.map { DeviceIdentity(id: $0.id, location: $0.location) }
    cameras = zip(devices, directory.name(identities)).enumerated().map { index, camera in
      SyntheticCamera(camera.1.applied(to: camera.0), index: index, configuration: configuration)
    }
  }

  /// Makes these cameras misbehave.
  public var faults: SyntheticFaults { SyntheticFaults(cameras: cameras, announcer: announcer) }

  public func devices() async -> [Device] { cameras.filter(\.isPlugged).map(\.device) }

  public func changes() -> AsyncStream<DeviceChange> { announcer.listen() }

  public func resolve(_ request: StreamRequest, on deviceID: String) async throws(CaptureError) -> StreamFormat {
    try cameras.named(deviceID).resolve(request)
  }

  public func controls(of deviceID: String) async throws(CaptureError) -> [Control] {
    try cameras.named(deviceID).controls()
  }

  /// Acts from the next picture on.
  public func set(
    _ settings: [ControlSetting], on deviceID: String
  ) async throws(CaptureError) -> [ControlResult] {
    try cameras.named(deviceID).set(settings)
  }

  /// Starts a thread that renders into `pool`, one frame per period of the monotonic clock.
  ///
  /// Returns when the first exposure begins: at once unless ``SyntheticFaults/slowStart(_:by:)`` says otherwise. Stop the
  /// source to end the thread: letting go of it does not.
  ///
  /// - Throws: `deviceNotFound`, `deviceDisconnected` while unplugged, `formatNotSupported`, `deviceInUse`, `deviceFailed`.
  public func start(
    _ request: StreamRequest, on deviceID: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource {
    let camera = try cameras.named(deviceID)
    _ = try camera.resolve(request)
    let latency = camera.plan.startLatency
    // Nothing is claimed meanwhile: as with a driver, who is second finds the device taken at the end of its own start.
    if latency > .zero { try? await Task.sleep(for: latency) }
    return try camera.start(request, pool: pool, sink: sink)
  }

  /// Draws what never moves in a usual format, and makes the table that every stream's noise comes from.
  public func prewarm() async {
    await withCheckedContinuation { continuation in
      do {
        try WorkerThread.start(name: "prewarm") { [cameras] in
          for camera in cameras { camera.prewarm() }
          continuation.resume()
        }
      } catch {
        // The first start will do it.
        continuation.resume()
      }
    }
  }

  /// As ``SyntheticFaults/slowOutputs(_:by:output:)`` says.
  public func initDelay(ofOutput id: String, on deviceID: String) async -> Duration {
    cameras.first { $0.device.id == deviceID }?.plan.initDelay(ofOutput: id) ?? .zero
  }
}

extension [SyntheticCamera] {
  func named(_ id: String) throws(CaptureError) -> SyntheticCamera {
    if let camera = first(where: { $0.device.id == id }) { return camera }
    throw CaptureError(
      .deviceNotFound, "There is no synthetic device \(id); ListDevices tells which there are.",
      metadata: ["device": id])
  }
}
