internal import CaptureCore
internal import Logging
internal import SystemFiles

/// What the daemon knows about the machine's video nodes. A value without a thread. The calls block, so the catalog
/// must live on a thread that may block.
struct DeviceCatalog: Sendable {
  private struct Record {
    var identity: DeviceTree.NodeIdentity
    var finding: NodeProbe.Finding
  }

  private let tree: DeviceTree
  private let syscalls: any Syscalls
  private let logger: Logger
  /// What the last look at each node found, by node path.
  private var records: [String: Record] = [:]
  /// How many streams of this process each node has, by node path. The catalog does not open such a node again unless
  /// its device is gone.
  private var streams: [String: Int] = [:]
  private let directory: DeviceDirectory
  private let file: SerialNumberFile
  private var roster: CameraRoster
  /// The serial numbers as of the last save. The file has the same entries, perhaps in another order.
  private var saved = SerialNumbers()

  /// Creates an empty catalog. The initializer reads neither nodes nor files.
  ///
  /// - Parameters:
  ///   - directory: the names and properties that the operator gives to cameras.
  ///   - folder: where the catalog keeps its knowledge of serial numbers; nil to keep it nowhere.
  init(
    tree: DeviceTree, syscalls: any Syscalls, directory: DeviceDirectory = DeviceDirectory(), folder: DataFolder? = nil,
    logger: Logger
  ) {
    self.tree = tree
    self.syscalls = syscalls
    self.logger = logger
    self.directory = directory
    file = SerialNumberFile(folder: folder, logger: logger)
    roster = CameraRoster(directory, saved)
  }

  /// Reads the serial numbers that former runs learned. The owner calls this method once, before any other.
  mutating func load() {
    saved = file.load()
    roster = CameraRoster(directory, saved)
  }

  /// Writes the file of serial numbers when the catalog has learned something. A new order alone is not written,
  /// because the order only decides which serial number the catalog forgets first.
  mutating func save() {
    let known = roster.serialNumbers
    guard known != saved else { return }
    let isNews = Set(known.entries) != Set(saved.entries)
    saved = known
    if isNews { file.save(known) }
  }

  /// The cameras that the roster shows, each once, also when a camera has several nodes.
  var cameras: [Camera] { roster.cameras }

  /// Whether a node has no device, a node could not be looked at, or the roster withholds a new camera. No event
  /// announces the end of these states, so only another look can find it.
  var hasUnansweredNodes: Bool {
    records.values.contains { Self.isUnanswered($0.finding) } || roster.holdsCameras
  }

  func camera(_ id: String) -> Camera? { cameras.first { $0.device.id == id } }

  /// Looks again at every node that can belong to a camera and does not stream.
  ///
  /// - Returns: what changed since the last look; empty when the folder of the nodes cannot be read.
  mutating func rescan() -> [DeviceChange] { scan { $0 != .neverACamera } }

  /// Looks again at nodes that had no device or could not be looked at, and at new nodes. The discovery thread calls
  /// this method about once a second while such nodes exist.
  ///
  /// - Returns: what changed since the last look; empty when the folder of the nodes cannot be read.
  mutating func rescanUnansweredNodes() -> [DeviceChange] { scan(isProbe: true, Self.isUnanswered) }

  private static func isUnanswered(_ finding: NodeProbe.Finding) -> Bool { finding == .dead || finding == .unseen }

  /// Notes that a stream from the node at `path` is about to start. From now on, no look opens the node.
  mutating func streamWillStart(_ path: String) { streams[path, default: 0] += 1 }

  /// Notes that a stream from the node at `path` ended.
  ///
  /// - Parameter error: why the stream ended; nil when the daemon asked it to stop.
  /// - Returns: the changes that follow from the loss of the device, or from the loss of a format that it had.
  mutating func streamDidEnd(_ path: String, _ error: CaptureError?) -> [DeviceChange] {
    streams[path] = streams[path].flatMap { $0 > 1 ? $0 - 1 : nil }
    // What the device lists is outdated, since a session asked for one of its formats.
    if error?.reason == .formatNotSupported { return rescan() }
    // The catalog announces the loss even when the device is already back, because the stream is not.
    guard error?.reason == .deviceDisconnected, records[path] != nil else { return [] }
    records[path]?.finding = .dead
    return updateCameras()
  }

  private mutating func scan(
    isProbe: Bool = false, _ isStale: (NodeProbe.Finding) -> Bool
  ) -> [DeviceChange] {
    guard let paths = tree.videoNodes() else { return [] }
    records = records.filter { paths.contains($0.key) }
    for path in paths {
      guard let identity = tree.identity(of: path) else {
        records[path] = nil
        continue
      }
      let known = records[path].flatMap { $0.identity == identity ? $0.finding : nil }
      if let known, !isStale(known) || (streams[path] != nil && known != .dead) { continue }
      let hardware = tree.hardware(of: path)
      var finding = NodeProbe.look(at: path, hardware: hardware, with: syscalls)
      if case .denied(let refusal) = finding {
        finding = refused(path, refusal, hardware, known: known).map { .camera($0) } ?? .notACamera
      }
      if finding == .busy || finding == .unseen, case .camera = known { continue }
      if finding != known { log(path, finding) }
      records[path] = Record(identity: identity, finding: finding)
    }
    return updateCameras(isProbe: isProbe)
  }

  private mutating func updateCameras(isProbe: Bool = false) -> [DeviceChange] {
    var nodes: [CameraNode] = []
    for record in records.values {
      guard case .camera(let node) = record.finding else { continue }
      // The catalog does not look at a node that streams, and in a container the node of an unplugged camera stays. If
      // a person plugged such a camera into another port, the roster would take the old and the new node for two
      // cameras with the same serial number. Therefore a node counts only while sysfs has its hardware.
      if let hardware = node.hardware, !tree.exists(hardware) { continue }
      nodes.append(node)
    }
    let old = cameras
    roster.update(nodes, links: followLinks(), streaming: Set(streams.keys), isProbe: isProbe)
    let changes = DeviceChange.difference(from: old.map(\.device), to: cameras.map(\.device))
    for change in changes where change.kind != .disconnected {
      guard let error = change.device.unavailable else { continue }
      logger.warning(
        "A camera cannot be used.",
        metadata: ["device.id": "\(change.device.id)", "error.message": "\(error.message)"])
    }
    return changes
  }

  /// Describes the camera at a node that may not be opened: as the last look that could open the node found the camera,
  /// else as sysfs and udev describe the node. Nil when sysfs and udev say that the node is no camera.
  private func refused(
    _ path: String, _ refusal: AccessRefusal, _ hardware: Hardware?, known: NodeProbe.Finding?
  ) -> CameraNode? {
    if case .camera(var node) = known {
      (node.formats, node.refusal) = ([], .access(refusal))
      return node
    }
    return tree.capability(ofUnopened: path).map {
      CameraNode(
        path: path, interface: .singlePlanar, capability: $0, hardware: hardware, formats: [],
        refusal: .access(refusal))
    }
  }

  /// The path of the node that each of the operator's links leads to. The links are followed again at each update,
  /// because udev moves them.
  private func followLinks() -> [String: String] {
    var paths: [String: String] = [:]
    for link in directory.links {
      guard let identity = tree.identity(ofLink: link) else { continue }
      paths[link] = records.first { $0.value.identity == identity }?.key
    }
    return paths
  }

  private func log(_ path: String, _ finding: NodeProbe.Finding) {
    let metadata: Logger.Metadata = ["device.node": "\(path)"]
    switch finding {
    case .camera(let node):
      logger.debug(
        "A node is a camera.", metadata: metadata.merging(["device.card": "\(node.capability.card)"]) { $1 })
    case .notACamera, .neverACamera: logger.debug("A node is not a camera.", metadata: metadata)
    case .dead: logger.debug("A node has no device.", metadata: metadata)
    case .denied: logger.debug("The daemon may not open a node.", metadata: metadata)
    case .busy: logger.info("Another program holds a node.", metadata: metadata)
    case .unseen:
      logger.warning("The daemon skips a node, because descriptors or memory ran out.", metadata: metadata)
    }
  }
}
