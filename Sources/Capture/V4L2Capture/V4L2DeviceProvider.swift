public import CaptureCore
internal import Locking
public import Logging
public import SystemFiles

/// Finds the machine's V4L2 cameras and opens them.
///
/// The provider recognizes a camera by what its nodes can do, never by their names, and lists a camera with several
/// nodes as one device. The provider has one thread that looks for cameras. Each camera has a thread while calls to
/// that camera are pending, and each running source has a thread. No blocking call runs on Swift's cooperative pool.
public final class V4L2DeviceProvider: DeviceProvider {
  private let discovery: DiscoveryThread
  private let threads = CameraThreads()
  private let changed = Broadcast<DeviceChange>(depth: DeviceChange.depth)
  private let tree: DeviceTree
  private let syscalls: any Syscalls
  private let flash: SharedFlashLED

  /// Creates a provider, which starts to watch for cameras at once. The provider stops watching when its last reference
  /// goes.
  ///
  /// - Parameters:
  ///   - directory: the names and properties that the operator gives to cameras.
  ///   - folder: where the provider keeps its knowledge of serial numbers for the next run; nil to forget it at the end
  ///     of this run.
  ///   - logger: receives one message for each node that the provider skips, and another when the reason changes.
  public convenience init(
    directory: DeviceDirectory = DeviceDirectory(), folder: DataFolder? = nil, logger: Logger
  ) {
    self.init(directory: directory, folder: folder, logger: logger, tree: DeviceTree(), syscalls: LinuxSyscalls())
  }

  init(
    directory: DeviceDirectory = DeviceDirectory(), folder: DataFolder? = nil, logger: Logger, tree: DeviceTree,
    syscalls: any Syscalls
  ) {
    self.tree = tree
    self.syscalls = syscalls
    flash = SharedFlashLED(sysfs: tree.sysfs, logger: logger)
    discovery = DiscoveryThread(
      DeviceCatalog(tree: tree, syscalls: syscalls, directory: directory, folder: folder, logger: logger),
      deviceDirectory: tree.deviceDirectory
    ) { [changed, flash] changes in
      for change in changes where change.kind == .disconnected { flash.cameraWent(change.device.id) }
      for change in changes { changed.tell(change) }
    }
  }

  deinit {
    discovery.stop()
    changed.end()
  }

  /// The cameras present now, each once, even when the camera has several nodes. The call looks at every node again
  /// that does not stream, so a running stream is not disturbed.
  public func devices() async -> [Device] {
    await discovery.perform { catalog in
      let changes = catalog.rescan()
      return (catalog.cameras.map(\.device), changes)
    }
  }

  /// The cameras as the discovery thread last saw them. The call asks no camera; it waits only when the discovery
  /// thread has not looked for cameras yet.
  public func knownDevices() async -> [Device] { await known().map(\.device) }

  /// The identities of the cameras that the discovery thread last saw. An identity does not depend on the id that the
  /// operator chose for the camera.
  public func identities() async -> [DeviceIdentity] { await known().map(\.identity) }

  /// The cameras that the discovery thread last saw. The call waits only when that thread has not looked for cameras
  /// yet.
  private func known() async -> [Camera] {
    if let cameras = discovery.cameras { return cameras }
    return await discovery.perform { catalog in (catalog.cameras, []) }
  }

  /// The camera with this id as the discovery thread last saw it. When the camera is unknown or may not be opened, the
  /// discovery thread looks at the nodes again first. Nil when there is no camera with this id.
  public func knownDevice(_ id: String) async -> Device? { await find(id)?.device }

  /// The camera with this id as the discovery thread last saw it. When the camera is unknown or may not be opened, the
  /// discovery thread looks at the nodes again first. Nil when there is no camera with this id.
  private func find(_ id: String) async -> Camera? {
    if let camera = discovery.cameras?.first(where: { $0.device.id == id }), camera.device.unavailable == nil {
      return camera
    }
    return await discovery.perform { $0.find(id) }
  }

  /// The changes from now on: cameras that come, go or change. The stream keeps the newest 64 changes that its consumer
  /// has not taken yet, and ends when the provider goes.
  public func changes() -> AsyncStream<DeviceChange> { changed.watch() }

  /// The format that the camera would deliver for `request` (VIDIOC_TRY_FMT). The call neither starts the camera nor
  /// changes any setting of the camera.
  ///
  /// - Throws: `deviceNotFound`, `formatNotSupported`, `deviceDisconnected`, `deviceNotResponding`,
  ///   `deviceAccessDenied`, `deviceInUse`, `deviceFailed`, or `processingFailed` when the system cannot create a
  ///   thread for the call.
  public func resolve(
    _ request: StreamRequest, on deviceID: String
  ) async throws(CaptureError) -> StreamFormat {
    try await withNode(of: deviceID) { node, camera throws(CaptureError) in
      try StreamNegotiation(node: node, interface: camera.interface, deviceID: deviceID).trial(request).format
    }
  }

  /// The camera's controls with their present values, in the driver's order. For a camera without a flash of its own,
  /// the controls of the machine's flash LED follow, if the machine has one.
  ///
  /// - Throws: `deviceNotFound`, `deviceDisconnected`, `deviceNotResponding`, `deviceInUse`, `deviceAccessDenied`,
  ///   `deviceFailed`, or `processingFailed` when the system cannot create a thread for the call.
  public func controls(of deviceID: String) async throws(CaptureError) -> [Control] {
    try await withNode(of: deviceID) { [flash] node, _ throws(CaptureError) in
      let own = try NodeControls(node: node, deviceID: deviceID).list()
      return own + flash.controls(of: deviceID, beside: own)
    }
  }

  /// Sets controls one after the other, each by a call of its own. A running stream goes on. Controls of the flash LED
  /// can be set even when the camera that lit the LED is gone.
  ///
  /// - Returns: the value or the error of each setting, in the order of `settings`.
  /// - Throws: the errors of ``controls(of:)``; the call has set no control then.
  public func set(
    _ settings: [ControlSetting], on deviceID: String
  ) async throws(CaptureError) -> [ControlResult] {
    if flash.isLent(to: deviceID, for: settings) { return await setLent(settings, on: deviceID) }
    return try await withNode(of: deviceID) { [flash] node, _ throws(CaptureError) in
      let controls = NodeControls(node: node, deviceID: deviceID)
      let own = try controls.list()
      return controls.set(settings) { flash.set($0, of: deviceID, beside: own) }
    }
  }

  /// Sets controls of the flash LED for the camera that uses the LED. The method does not open the camera's node,
  /// because the camera may be unplugged.
  private func setLent(_ settings: [ControlSetting], on deviceID: String) async -> [ControlResult] {
    await discovery.perform { [flash] _ in
      let results = settings.map { setting in
        flash.set(setting, of: deviceID, beside: [])
          ?? ControlResult(
            control: setting.control, outcome: .failure(.notFound(control: setting.control, device: deviceID)))
      }
      return (results, [])
    }
  }

  /// Opens the camera, sets the format and the frame rate, and streams into `sink`. The call returns after STREAMON;
  /// `sink` may receive frames earlier. When the call throws, the camera is closed again.
  ///
  /// - Parameters:
  ///   - request: the format and the frame rate to set.
  ///   - pool: the memory that frames are copied to, and whose budget counts the frames in the driver's buffers.
  ///   - sink: receives the frames, on the capture thread.
  /// - Throws: `deviceNotFound`, `formatNotSupported`, `deviceDisconnected`, `deviceNotResponding`,
  ///   `deviceAccessDenied`, `deviceInUse`, `bandwidthExceeded`, `deviceFailed`, or `processingFailed` when the system
  ///   gives no thread.
  public func start(
    _ request: StreamRequest, on deviceID: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource {
    let found = await discovery.perform { catalog in
      let (camera, changes) = catalog.find(deviceID)
      // The catalog learns of the stream before the capture thread opens the device, so that the discovery thread never
      // probes a device that starts.
      if let camera, camera.device.unavailable == nil { catalog.streamWillStart(camera.path) }
      return (camera, changes)
    }
    guard let camera = found else { throw .notFound(device: deviceID) }
    if let refusal = camera.device.unavailable { throw refusal }
    return try await V4L2Source(
      CaptureThread.Assignment(
        deviceID: deviceID, path: camera.path, interface: camera.interface, request: request, pool: pool, sink: sink,
        syscalls: syscalls, lendsBuffers: camera.lendsBuffers, isPresent: { [tree] in tree.isPresent(camera) },
        didClose: { [discovery] error in discovery.enqueue { $0.streamDidEnd(camera.path, error) } }))
  }

  /// Opens the camera's node while `body` runs, and runs `body` on the camera's thread. The call uses a descriptor of
  /// its own, because a driver allows a second descriptor beside the one that streams.
  private func withNode<R: Sendable>(
    of deviceID: String, _ body: @escaping @Sendable (VideoNode, Camera) throws(CaptureError) -> R
  ) async throws(CaptureError) -> R {
    guard let camera = await find(deviceID) else { throw .notFound(device: deviceID) }
    if let refusal = camera.device.unavailable { throw refusal }
    return try await threads.perform(on: deviceID) { [tree, syscalls] () throws(CaptureError) in
      let node: VideoNode
      do throws(VideoNodeError) { node = try VideoNode(opening: camera.path, with: syscalls) } catch {
        throw .failedOpen(error, of: camera.path, device: deviceID, isPresent: tree.isPresent(camera))
      }
      defer { node.close() }
      return try body(node, camera)
    }
  }
}

extension DeviceCatalog {
  /// The camera with this id, and the changes that were found on the way. When the camera is unknown or may not be
  /// opened, the catalog looks at the nodes again first. The camera is nil when no camera has this id.
  fileprivate mutating func find(_ id: String) -> (Camera?, [DeviceChange]) {
    if let camera = camera(id), camera.device.unavailable == nil { return (camera, []) }
    let changes = rescan()
    return (camera(id), changes)
  }
}

/// A V4L2 camera that streams. Its ``CaptureThread`` owns the descriptor and makes every call on it.
///
/// When the last reference goes without a call of ``stop()``, the capture thread stops the stream a little later.
final class V4L2Source: FrameSource {
  let deviceID: String
  let streamID: UInt64
  let format: StreamFormat
  private let thread: CaptureThread

  /// Opens and starts the device; see ``DeviceProvider/start(_:on:pool:sink:)``.
  ///
  /// - Throws: the error of opening, configuring or starting the device; `processingFailed` when the system gives no
  ///   thread.
  init(_ assignment: CaptureThread.Assignment) async throws(CaptureError) {
    let streamID = StreamID.next()
    let started = try await CaptureThread.start(assignment, streamID: streamID)
    self.deviceID = assignment.deviceID
    self.streamID = streamID
    self.format = started.format
    self.thread = started.thread
  }

  deinit { thread.requestStop() }

  func stop() async { await thread.stop() }
}
