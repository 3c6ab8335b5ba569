internal import CaptureCore

/// Makes cameras of nodes and names them. A value that asks nobody.
struct CameraRoster: Sendable {
  private let directory: DeviceDirectory
  /// What is known of serial numbers; what is learnt goes into it.
  private(set) var serialNumbers: SerialNumbers
  private(set) var cameras: [Camera] = []
  /// Cameras that are not shown yet, since they may be another matter in a moment.
  private var held: Set<CameraIdentity> = []
  private var wasUpdated = false

  /// - Parameter serialNumbers: of former runs.
  init(_ directory: DeviceDirectory, _ serialNumbers: SerialNumbers) {
    self.directory = directory
    self.serialNumbers = serialNumbers
  }

  /// Whether there is a camera that the next probe will show.
  var holdsCameras: Bool { !held.isEmpty }

  /// - Parameters:
  ///   - nodes: all that are cameras.
  ///   - links: which node each of the directory's links leads to, as far as it leads to any.
  ///   - streaming: nodes with a stream of ours.
  ///   - isProbe: whether some time has passed since the update before.
  mutating func update(_ nodes: [CameraNode], links: [String: String], streaming: Set<String>, isProbe: Bool) {
    // Not by attachment alone: another camera may have been plugged into the same port since.
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
    /// The first of the camera's nodes that delivers something.
    var node: CameraNode
    var paths: Set<String>
    var identity: DeviceIdentity
  }

  /// One camera for each attachment.
  ///
  /// - Parameter present: own ids.
  private mutating func find(_ nodes: [CameraNode], _ links: [String: String], present: [CameraIdentity: String])
    -> [Found]
  {
    // A node that may be opened stands for the camera before one that may not.
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

  /// udev makes a link, and gives the node to its group, some milliseconds after the kernel made the node. Meanwhile a camera
  /// would go by its own id, or be told as one that may not be opened. So while a link leads nowhere, what nobody named is
  /// shown from the next probe on, and so is what may not be opened. At the start everything is shown: cameras that are there
  /// have their links and their groups.
  ///
  /// - Parameter newcomers: cameras that were not shown yet and that may be another matter in a moment.
  private mutating func hold(_ newcomers: Set<CameraIdentity>, _ isProbe: Bool) {
    held = !wasUpdated ? [] : isProbe ? newcomers.subtracting(held) : newcomers
    wasUpdated = true
  }

  private func isLinkAwaited(_ cameras: [Camera]) -> Bool {
    directory.links.contains { link in
      !cameras.contains { $0.identity.links.contains(link) || $0.naming.entry?.key == link }
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
