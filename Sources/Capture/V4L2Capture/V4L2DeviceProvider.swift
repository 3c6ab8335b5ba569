public import CaptureCore
public import Logging

/// Finds the machine's V4L2 cameras and opens them.
///
/// Nodes are chosen by what they can do, never by name; a camera with several nodes is one device. It has a thread that looks for
/// cameras, each camera has one while it is asked something, and each running source has one; nothing blocks on Swift's pool.
public final class V4L2DeviceProvider: DeviceProvider {
  private let discovery: DiscoveryThread
  private let threads = CameraThreads()
  private let broadcaster = ChangeBroadcaster()
  private let tree: DeviceTree
  private let syscalls: any Syscalls
  private let flash: SharedFlashLED

  /// Starts watching for cameras at once; ends with the last reference.
  ///
  /// - Parameters:
  ///   - directory: what the operator calls cameras.
  ///   - folder: where what is known of serial numbers outlives the provider; nil for nowhere.
  ///   - logger: told, once each, of nodes that are skipped.
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
    ) { [broadcaster, flash] changes in
      for change in changes where change.kind == .disconnected { flash.cameraWent(change.device.id) }
      broadcaster.send(changes)
    }
  }

  deinit {
    discovery.stop()
    broadcaster.finish()
  }

  public func devices() async -> [Device] {
    await discovery.perform { catalog in
      let changes = catalog.rescan()
      return (catalog.cameras.map(\.device), changes)
    }
  }

  public func knownDevices() async -> [Device] { await known().map(\.device) }

  /// What tells the cameras apart, whatever they are called; those that were there when last looked at.
  public func identities() async -> [DeviceIdentity] { await known().map(\.identity) }

  /// Waits for the first look only.
  private func known() async -> [Camera] {
    if let cameras = discovery.cameras { return cameras }
    return await discovery.perform { catalog in (catalog.cameras, []) }
  }

  public func knownDevice(_ id: String) async -> Device? { await find(id)?.device }

  /// The camera as it was last seen; looked for when it is not known or may not be opened.
  private func find(_ id: String) async -> Camera? {
    if let camera = discovery.cameras?.first(where: { $0.device.id == id }), camera.device.unavailable == nil {
      return camera
    }
    return await discovery.perform { $0.find(id) }
  }

  public func changes() -> AsyncStream<DeviceChange> { broadcaster.watch() }

  public func resolve(
    _ request: StreamRequest, on deviceID: String
  ) async throws(CaptureError) -> StreamFormat {
    try await withNode(of: deviceID) { node, camera throws(CaptureError) in
      try StreamNegotiation(node: node, interface: camera.interface, deviceID: deviceID).trial(request).format
    }
  }

  public func controls(of deviceID: String) async throws(CaptureError) -> [Control] {
    try await withNode(of: deviceID) { [flash] node, _ throws(CaptureError) in
      let own = try NodeControls(node: node, deviceID: deviceID).list()
      return own + flash.controls(of: deviceID, beside: own)
    }
  }

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

  /// Without the camera's node, which may be gone.
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

  public func start(
    _ request: StreamRequest, on deviceID: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource {
    let found = await discovery.perform { catalog in
      let (camera, changes) = catalog.find(deviceID)
      // Noted before the device is opened, so that it is never probed while it starts.
      if let camera, camera.device.unavailable == nil { catalog.streamWillStart(camera.path) }
      return (camera, changes)
    }
    guard let camera = found else { throw .notFound(device: deviceID) }
    if let refusal = camera.device.unavailable { throw refusal }
    return try await V4L2Source(
      CaptureThread.Assignment(
        deviceID: deviceID, path: camera.path, interface: camera.interface, request: request, pool: pool, sink: sink,
        syscalls: syscalls, isPresent: { [tree] in tree.isPresent(camera) },
        didClose: { [discovery] error in discovery.enqueue { $0.streamDidEnd(camera.path, error) } }))
  }

  /// Opens the camera's node for the time of `body`, on the camera's thread: by a descriptor of its own, which a driver gives
  /// beside the one that streams.
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
  /// The camera by its id, looking at the nodes again when it is not known or may not be opened.
  fileprivate mutating func find(_ id: String) -> (Camera?, [DeviceChange]) {
    if let camera = camera(id), camera.device.unavailable == nil { return (camera, []) }
    let changes = rescan()
    return (camera(id), changes)
  }
}
