internal import CaptureCore

/// Combines nodes into cameras and names the cameras. A value that makes no system calls.
struct CameraRoster: Sendable {
  private let directory: DeviceDirectory
  /// The serial numbers that the roster knows. Each update adds what the roster learns.
  private(set) var serialNumbers: SerialNumbers
  /// The cameras to show to clients, lowest node number first.
  private(set) var cameras: [Camera] = []
  /// New cameras that the roster does not show yet, because their names or permissions may change within a moment; see
  /// ``hold(_:_:)``.
  private var held: Set<CameraIdentity> = []
  /// Whether the roster has been updated at least once.
  private var wasUpdated = false

  /// - Parameters:
  ///   - directory: the names and properties that the operator gives to cameras.
  ///   - serialNumbers: the serial numbers that former runs learned.
  init(_ directory: DeviceDirectory, _ serialNumbers: SerialNumbers) {
    self.directory = directory
    self.serialNumbers = serialNumbers
  }

  /// Whether the roster withholds a camera that the next probe may show.
  var holdsCameras: Bool { !held.isEmpty }

  /// Updates ``cameras`` and ``serialNumbers``.
  ///
  /// - Parameters:
  ///   - nodes: all nodes that belong to a camera.
  ///   - links: the path of the node that each of the directory's links leads to. A link that leads to no node has no
  ///     entry.
  ///   - streaming: the paths of the nodes that this process streams from.
  ///   - isProbe: whether a probe caused this update, so that some time has passed since the update before.
  mutating func update(_ nodes: [CameraNode], links: [String: String], streaming: Set<String>, isProbe: Bool) {
    // The whole identity must be the same, not only the attachment: a person may have plugged another camera into the
    // same port.
    let old = Dictionary(cameras.map { ($0.hardware, $0) }, uniquingKeysWith: { first, _ in first })
    let found = find(nodes, links, present: old.mapValues(\.identity.id))
    var present: [String: DeviceDirectory.Naming] = [:]
    for camera in found { present[camera.identity.id] = old[camera.hardware]?.naming }
    let names = directory.name(
      found.map(\.identity), present: present,
      streaming: Set(found.filter { !$0.paths.isDisjoint(with: streaming) }.map(\.identity.id)))

    var all: [Camera] = []
    for (camera, naming) in zip(found, names) {
      var device = naming.applied(to: Device(camera.node, id: camera.identity.id))
      device.unavailable = camera.node.refusal?.error(device: device.id)
      all.append(
        Camera(
          device: device, path: camera.node.path, interface: camera.node.interface, place: camera.node.hardware,
          identity: camera.identity, hardware: camera.hardware, naming: naming))
    }
    let isLinkAwaited = isLinkAwaited(all)
    let unsettled = all.filter { camera in
      old[camera.hardware] == nil
        && (camera.device.unavailable != nil || isLinkAwaited && camera.naming.entry == nil)
    }
    hold(Set(unsettled.map(\.hardware)), isProbe)
    cameras = all.filter { !held.contains($0.hardware) }
      .sorted { ($0.path.count, $0.path) < ($1.path.count, $1.path) }
  }

  private struct Found {
    var hardware: CameraIdentity
    /// The node to stream from: the first of the camera's nodes that may be opened, else the first of all.
    var node: CameraNode
    var paths: Set<String>
    var identity: DeviceIdentity
  }

  /// Combines the nodes that are attached at the same place (``CameraIdentity/attachment``) into one camera, and gives
  /// each camera its id. Also learns which serial numbers are shared, and remembers them in ``serialNumbers``.
  ///
  /// - Parameter present: the ids that the cameras of the roster already have, before the operator's names apply. A
  ///   camera keeps its id while it is there.
  private mutating func find(_ nodes: [CameraNode], _ links: [String: String], present: [CameraIdentity: String])
    -> [Found]
  {
    // Nodes that may be opened come first, because the first node of a camera becomes the node to stream from.
    let ordered = nodes.sorted {
      ($0.refusal == nil ? 0 : 1, $0.hardware?.index ?? 0, $0.path.count, $0.path)
        < ($1.refusal == nil ? 0 : 1, $1.hardware?.index ?? 0, $1.path.count, $1.path)
    }
    let siblings = Dictionary(grouping: ordered) { CameraIdentity($0).attachment }
    let cameras = ordered.map(CameraIdentity.init).reduce(into: [CameraIdentity]()) { cameras, identity in
      if !cameras.contains(where: { $0.attachment == identity.attachment }) { cameras.append(identity) }
    }
    let ids = serialNumbers.name(cameras, present: present)
    return cameras.map { camera in
      let nodes = siblings[camera.attachment]!
      let paths = Set(nodes.map(\.path))
      let identity = DeviceIdentity(
        id: ids[camera]!, location: nodes[0].capability.busInfo,
        links: Set(links.filter { paths.contains($0.value) }.keys))
      return Found(hardware: camera, node: nodes[0], paths: paths, identity: identity)
    }
  }

  /// Decides which new cameras the roster does not show yet.
  ///
  /// udev makes a link, and gives the node to its group, some milliseconds after the kernel made the node. Within this
  /// time, a camera would appear under its own id instead of the operator's, or as a camera that may not be opened.
  /// Therefore the roster withholds a new camera until the next probe in two cases: when the camera may not be opened,
  /// and when the operator did not name the camera while one of the operator's links leads nowhere. The first update
  /// shows all cameras, because the cameras that are present at the start of the daemon have their links and groups
  /// already.
  ///
  /// - Parameter newcomers: the cameras to which one of the two cases applies.
  private mutating func hold(_ newcomers: Set<CameraIdentity>, _ isProbe: Bool) {
    held = !wasUpdated ? [] : isProbe ? newcomers.subtracting(held) : newcomers
    wasUpdated = true
  }

  /// Whether one of the operator's links leads to none of `cameras`.
  private func isLinkAwaited(_ cameras: [Camera]) -> Bool {
    directory.links.contains { link in
      !cameras.contains { $0.identity.links.contains(link) || $0.naming.entry?.key == link }
    }
  }
}

extension Device {
  /// Describes a camera as its driver and sysfs do, before the operator's names apply.
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

extension DeviceChange {
  /// The changes from one enumeration to the next: first the cameras that went, in the order of `old`, then the cameras
  /// that came or changed, in the order of `new`.
  static func difference(from old: [Device], to new: [Device]) -> [DeviceChange] {
    var changes: [DeviceChange] = []
    for device in old where !new.contains(where: { $0.id == device.id }) {
      changes.append(DeviceChange(.disconnected, device))
    }
    for device in new {
      if let before = old.first(where: { $0.id == device.id }) {
        if before != device { changes.append(DeviceChange(.changed, device)) }
      } else {
        changes.append(DeviceChange(.connected, device))
      }
    }
    return changes
  }
}
