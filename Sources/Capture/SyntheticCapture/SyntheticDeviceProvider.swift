public import CaptureCore
internal import Locking

/// Provides cameras made of software. Their frames come from real threads in real time, and each picture says which
/// instant it shows.
///
/// ```swift
/// let provider = SyntheticDeviceProvider(count: 2, configuration: .init(scene: .still, noise: 0))
/// ```
public final class SyntheticDeviceProvider: DeviceProvider {
  private let cameras: [SyntheticCamera]
  private let changed = Broadcast<DeviceChange>(depth: DeviceChange.depth)
  /// The identity of every camera, unplugged ones included, independent of the names that an operator gave.
  public let identities: [DeviceIdentity]

  /// Makes `count` cameras, all plugged in.
  ///
  /// - Parameters:
  ///   - count: a negative number counts as 0.
  ///   - configuration: applies to all cameras. Each camera gets its own seed for the noise, made of the
  ///     configuration's.
  ///   - usbMegabits: the signalling rate of the USB bus that all cameras imitate to be on, in megabits per second; nil
  ///     for cameras that are on no bus.
  ///   - directory: the operator's names. Other cameras are called `synthetic-0`, `synthetic-1` and so on.
  public init(
    count: Int, configuration: SyntheticCameraConfiguration = SyntheticCameraConfiguration(),
    usbMegabits: Int? = nil, directory: DeviceDirectory = DeviceDirectory()
  ) {
    let devices = (0..<max(0, count)).map { SyntheticCamera.device($0, usbMegabits: usbMegabits) }
    identities = devices.map { DeviceIdentity(id: $0.id, location: $0.location) }
    cameras = zip(devices, directory.name(identities)).enumerated().map { index, camera in
      SyntheticCamera(camera.1.applied(to: camera.0), index: index, configuration: configuration)
    }
  }

  /// Makes these cameras misbehave.
  public var faults: SyntheticFaults { SyntheticFaults(cameras: cameras, changed: changed) }

  /// The cameras that are plugged in.
  public func devices() async -> [Device] { cameras.filter(\.isPlugged).map(\.device) }

  /// The changes from now on: which cameras come and go. A slow listener keeps the newest 64 changes and loses older
  /// ones.
  public func changes() -> AsyncStream<DeviceChange> { changed.watch() }

  /// The format that the camera would deliver for `request`. The frame rate is the offered rate that is nearest to the
  /// requested one.
  ///
  /// - Throws: `deviceNotFound`, `deviceDisconnected` while the camera is unplugged, `formatNotSupported`.
  public func resolve(_ request: StreamRequest, on deviceID: String) async throws(CaptureError) -> StreamFormat {
    try cameras.named(deviceID).resolve(request)
  }

  /// All controls of the camera with their present values.
  ///
  /// - Throws: `deviceNotFound`, `deviceDisconnected` while the camera is unplugged.
  public func controls(of deviceID: String) async throws(CaptureError) -> [Control] {
    try cameras.named(deviceID).controls()
  }

  /// Sets controls one after the other. The settings act from the next picture on.
  ///
  /// - Returns: the result of each setting, in the order of `settings`.
  /// - Throws: `deviceNotFound`; `deviceDisconnected` while the camera is unplugged. No control has been set then.
  public func set(
    _ settings: [ControlSetting], on deviceID: String
  ) async throws(CaptureError) -> [ControlResult] {
    try cameras.named(deviceID).set(settings)
  }

  /// Starts a thread that renders into `pool`, one frame per period of the monotonic clock.
  ///
  /// Returns when the first exposure begins: at once unless ``SyntheticFaults/slowStart(_:by:)`` delays the start. The
  /// thread runs until the caller stops the source; releasing the source does not end the thread.
  ///
  /// - Throws: `deviceNotFound`, `deviceDisconnected` while the camera is unplugged, `formatNotSupported`,
  ///   `deviceInUse` while another source streams, `processingFailed` when the system cannot create a thread.
  public func start(
    _ request: StreamRequest, on deviceID: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource {
    let camera = try cameras.named(deviceID)
    _ = try camera.resolve(request)
    let latency = camera.plan.startLatency
    // The start claims the device only after the latency. As with a driver, when two clients start at the same time the
    // second one finds the device in use only at the end of its own start.
    if latency > .zero { try? await Task.sleep(for: latency) }
    return try camera.start(request, pool: pool, sink: sink)
  }

  /// Makes a renderer of a usual format for each camera, so that the first stream in that format need not make it.
  public func prewarm() async {
    await withCheckedContinuation { continuation in
      do {
        try WorkerThread.start(name: "prewarm") { [cameras] in
          for camera in cameras { camera.prewarm() }
          continuation.resume()
        }
      } catch {
        // Without a thread, the first start does this work.
        continuation.resume()
      }
    }
  }

  /// How much longer the preparation of an output takes in a session with this device; see
  /// ``SyntheticFaults/slowOutputs(_:by:output:)``. Zero for an unknown device.
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
