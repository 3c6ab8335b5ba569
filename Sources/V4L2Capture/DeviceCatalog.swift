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
  private let links: [String]
  private var roster: CameraRoster

  /// - Parameter directory: what the operator calls cameras.
  init(tree: DeviceTree, syscalls: any Syscalls, directory: DeviceDirectory = DeviceDirectory(), logger: Logger) {
    self.tree = tree
    self.syscalls = syscalls
    self.logger = logger
    links = directory.links
    roster = CameraRoster(directory)
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
      let finding = NodeProbe.look(at: path, hardware: tree.hardware(of: path), with: syscalls)
      if finding == .busy || finding == .unseen, case .camera = known { continue }
      if finding != known { log(path, finding) }
      records[path] = Record(identity: identity, finding: finding)
    }
    return updateCameras(isProbe: isProbe)
  }

  private mutating func updateCameras(isProbe: Bool = false) -> [DeviceChange] {
    var nodes: [CameraNode] = []
    for record in records.values {
      if case .camera(let node) = record.finding { nodes.append(node) }
    }
    let old = cameras
    roster.update(nodes, links: followLinks(), streaming: Set(streams.keys), isProbe: isProbe)
    return DeviceChange.difference(from: old.map(\.device), to: cameras.map(\.device))
  }

  /// Which node each link leads to, anew each time: udev moves them.
  private func followLinks() -> [String: String] {
    var paths: [String: String] = [:]
    for link in links {
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
    case .denied: logger.info("skipped a node that may not be opened", metadata: metadata)
    case .busy: logger.info("skipped a node that another program holds", metadata: metadata)
    case .unseen: logger.warning("skipped a node for want of descriptors or memory", metadata: metadata)
    }
  }
}
