internal import CaptureCore
internal import Logging

/// What is known of the machine's video nodes. A value without a thread; its calls block, so it lives on a thread that
/// may.
struct DeviceCatalog: Sendable {
  private struct Record {
    var identity: DeviceTree.NodeIdentity
    var finding: NodeProbe.Finding
  }

  private let tree: DeviceTree
  private let syscalls: any Syscalls
  private let logger: Logger
  /// By node path.
  private var records: [String: Record] = [:]
  /// How many streams of ours there are, by node path. Such nodes are not opened again.
  private var streams: [String: Int] = [:]
  private let directory: DeviceDirectory
  private let file: SerialNumberFile
  private var roster: CameraRoster
  /// As the file has them.
  private var saved = SerialNumbers()

  /// Reads nothing yet.
  ///
  /// - Parameters:
  ///   - directory: what the operator calls cameras.
  ///   - folder: where what is known of serial numbers is kept; nil for nowhere.
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

  /// Reads what former runs knew of serial numbers. To be called once, before anything else.
  mutating func load() {
    saved = file.load()
    roster = CameraRoster(directory, saved)
  }

  /// Writes what was learnt of serial numbers. The order alone, which only says what to forget first, is not worth it.
  mutating func save() {
    let known = roster.serialNumbers
    guard known != saved else { return }
    let isNews = Set(known.entries) != Set(saved.entries)
    saved = known
    if isNews { file.save(known) }
  }

  /// Those present, each once.
  var cameras: [Camera] { roster.cameras }

  /// Whether there is a node without a device, one that could not be looked at, or a camera that waits for its link: only
  /// asking again can tell when that changes.
  var hasUnansweredNodes: Bool {
    records.values.contains { Self.isUnanswered($0.finding) } || roster.holdsCameras
  }

  func camera(_ id: String) -> Camera? { cameras.first { $0.device.id == id } }

  /// Looks at every node again that can be a camera and does not stream.
  mutating func rescan() -> [DeviceChange] { scan { $0 != .neverACamera } }

  /// Looks again at nodes without a device or an answer, and at new ones. To be called about once a second.
  mutating func rescanUnansweredNodes() -> [DeviceChange] { scan(isProbe: true, Self.isUnanswered) }

  private static func isUnanswered(_ finding: NodeProbe.Finding) -> Bool { finding == .dead || finding == .unseen }

  mutating func streamWillStart(_ path: String) { streams[path, default: 0] += 1 }

  /// - Parameter error: nil when the stream was asked to stop.
  mutating func streamDidEnd(_ path: String, _ error: CaptureError?) -> [DeviceChange] {
    streams[path] = streams[path].flatMap { $0 > 1 ? $0 - 1 : nil }
    // Announced even when the device is back already: its stream is not.
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
      // One that streams is not looked at again, and in a container its node stays. Were it plugged in elsewhere meanwhile, it
      // would be taken for its own twin.
      if let hardware = node.hardware, !tree.exists(hardware) { continue }
      nodes.append(node)
    }
    let old = cameras
    roster.update(nodes, links: followLinks(), streaming: Set(streams.keys), isProbe: isProbe)
    let changes = DeviceChange.difference(from: old.map(\.device), to: cameras.map(\.device))
    for change in changes where change.kind != .disconnected {
      guard let error = change.device.unavailable else { continue }
      logger.warning("\(error.message)", metadata: ["device": "\(change.device.id)"])
    }
    return changes
  }

  /// The camera at a node that may not be opened: as it was when it could be, else as files tell. Nil when they tell that the
  /// node is no camera.
  private func refused(
    _ path: String, _ refusal: AccessRefusal, _ hardware: Hardware?, known: NodeProbe.Finding?
  ) -> CameraNode? {
    if case .camera(var node) = known {
      (node.formats, node.refusal) = ([], refusal)
      return node
    }
    return tree.capability(ofUnopened: path).map {
      CameraNode(
        path: path, interface: .singlePlanar, capability: $0, hardware: hardware, formats: [], refusal: refusal)
    }
  }

  /// Which node each link leads to, anew each time: udev moves them.
  private func followLinks() -> [String: String] {
    var paths: [String: String] = [:]
    for link in directory.links {
      guard let identity = tree.identity(ofLink: link) else { continue }
      paths[link] = records.first { $0.value.identity == identity }?.key
    }
    return paths
  }

  private func log(_ path: String, _ finding: NodeProbe.Finding) {
    let metadata: Logger.Metadata = ["node": "\(path)"]
    switch finding {
    case .camera(let node):
      logger.debug("found a camera", metadata: metadata.merging(["card": "\(node.capability.card)"]) { $1 })
    case .notACamera, .neverACamera: logger.debug("skipped a node that is not a camera", metadata: metadata)
    case .dead: logger.debug("skipped a node without a device", metadata: metadata)
    case .denied: logger.debug("skipped a node that may not be opened", metadata: metadata)
    case .busy: logger.info("skipped a node that another program holds", metadata: metadata)
    case .unseen: logger.warning("skipped a node for want of descriptors or memory", metadata: metadata)
    }
  }
}
