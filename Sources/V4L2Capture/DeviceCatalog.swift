internal import CaptureCore
internal import Logging

/// A camera as clients know it, and the node to open for it.
struct Camera: Hashable {
  var device: Device
  var path: String
  var interface: CaptureInterface
  fileprivate var attachment: String
}

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
  private(set) var cameras: [Camera] = []

  init(tree: DeviceTree, syscalls: any Syscalls, logger: Logger) {
    self.tree = tree
    self.syscalls = syscalls
    self.logger = logger
  }

  /// Whether there is a node without a device, or one that could not be looked at: only asking again can tell when that
  /// changes.
  var hasUnansweredNodes: Bool { records.values.contains { Self.isUnanswered($0.finding) } }

  func camera(_ id: String) -> Camera? { cameras.first { $0.device.id == id } }

  /// Looks at every node again that can be a camera and does not stream.
  mutating func rescan() -> [DeviceChange] { scan { $0 != .neverACamera } }

  /// Looks again at nodes without a device or an answer, and at new ones.
  mutating func rescanUnansweredNodes() -> [DeviceChange] { scan(Self.isUnanswered) }

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

  private mutating func scan(_ isStale: (NodeProbe.Finding) -> Bool) -> [DeviceChange] {
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
    return updateCameras()
  }

  private mutating func updateCameras() -> [DeviceChange] {
    var nodes: [CameraNode] = []
    for record in records.values {
      if case .camera(let node) = record.finding { nodes.append(node) }
    }
    let old = cameras
    cameras = Self.cameras(nodes, present: cameras)
    return DeviceChange.difference(from: old.map(\.device), to: cameras.map(\.device))
  }

  /// One camera for each attachment: of several nodes the first that delivers something is the camera's.
  private static func cameras(_ nodes: [CameraNode], present: [Camera]) -> [Camera] {
    let ordered = nodes.sorted {
      ($0.hardware?.index ?? 0, $0.path.count, $0.path) < ($1.hardware?.index ?? 0, $1.path.count, $1.path)
    }
    var found: [(identity: CameraIdentity, node: CameraNode)] = []
    for node in ordered {
      let identity = CameraIdentity(node)
      if !found.contains(where: { $0.identity.attachment == identity.attachment }) { found.append((identity, node)) }
    }
    let ids = CameraIdentity.assign(
      found.map(\.identity),
      present: Dictionary(present.map { ($0.attachment, $0.device.id) }, uniquingKeysWith: { first, _ in first }))
    return found.map { identity, node in
      Camera(
        device: Device(node, id: ids[identity.attachment]!), path: node.path, interface: node.interface,
        attachment: identity.attachment)
    }.sorted { ($0.path.count, $0.path) < ($1.path.count, $1.path) }
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

extension Device {
  init(_ node: CameraNode, id: String) {
    let isFixed = node.hardware?.usb?.isFixed ?? !node.capability.busInfo.hasPrefix("PCI:")
    self.init(
      id: id, displayName: node.capability.card,
      // 2 is V4L2_CAMERA_ORIENTATION_EXTERNAL.
      type: isFixed && node.orientation != 2 ? .builtInWideAngle : .external,
      position: node.orientation == 0 ? .front : node.orientation == 1 ? .back : .unspecified,
      driver: node.capability.driver, location: node.capability.busInfo, formats: node.formats,
      limits: DeviceLimits(usb: node.hardware?.usb?.link))
  }
}
