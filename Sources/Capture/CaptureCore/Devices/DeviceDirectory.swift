/// What the operator says of cameras: what finds each, and what it is then. A value; whoever makes a ``Device`` asks it, so
/// that nobody else needs to know that a camera had another id.
public struct DeviceDirectory: Hashable, Sendable {
  /// What is said of one camera. What is nil stays as the hardware tells.
  public struct Entry: Hashable, Sendable {
    /// What finds the camera: its own id, its ``Device/location``, or the path of a link to its node.
    public var key: String
    public var id: String?
    public var position: DevicePosition?
    public var rotation: Orientation.Rotation?
    public var label: String?
    /// Whether the camera has to be there when the daemon starts.
    public var isRequired: Bool

    public init(
      _ key: String, id: String? = nil, position: DevicePosition? = nil, rotation: Orientation.Rotation? = nil,
      label: String? = nil, isRequired: Bool = true
    ) {
      self.key = key
      self.id = id
      self.position = position
      self.rotation = rotation
      self.label = label
      self.isRequired = isRequired
    }

    /// Whether `key` is the path of a link: only the file system tells which camera that is.
    public var isLink: Bool { key.hasPrefix("/") }

    /// Whether `camera` is the one that is meant.
    public func matches(_ camera: DeviceIdentity) -> Bool {
      key == camera.id || camera.links.contains(key) || key == camera.location
    }
  }

  /// How a camera is called.
  public struct Naming: Hashable, Sendable {
    /// As ``Device/id``.
    public var id: String
    /// Nil when nobody named it.
    public var entry: Entry?

    /// `device` with what is said of it.
    public func applied(to device: Device) -> Device {
      var device = device
      device.id = id
      device.position = entry?.position ?? device.position
      device.mountingRotation = entry?.rotation ?? device.mountingRotation
      device.label = entry?.label ?? device.label
      return device
    }
  }

  /// No two have the same key or the same id.
  public let entries: [Entry]
  /// Every id that was chosen. No other camera gets it, also while the one it was chosen for is absent.
  private let chosenIDs: Set<String>

  /// - Parameter entries: no two with the same key or the same id.
  public init(_ entries: [Entry] = []) {
    self.entries = entries
    chosenIDs = Set(entries.compactMap(\.id))
  }

  /// The keys that are paths.
  public var links: [String] { entries.filter(\.isLink).map(\.key) }

  /// Names `cameras`, in their order, each with another id.
  ///
  /// Where two entries match, the one that names the thing goes before the one that names its place, and where an entry
  /// matches two cameras the first has it.
  ///
  /// - Parameters:
  ///   - cameras: all that are present.
  ///   - present: how those are called that were there before, by own id. A camera keeps an entry while it is there.
  ///   - streaming: own ids of cameras that stream. One that has a name keeps it, whatever entry would match by now.
  public func name(
    _ cameras: [DeviceIdentity], present: [String: Naming] = [:], streaming: Set<String> = []
  ) -> [Naming] {
    var found = cameras.map { present[$0.id]?.entry }
    var used = Set(found.compactMap { $0?.key })
    for (index, camera) in cameras.enumerated() where found[index] == nil {
      if streaming.contains(camera.id), present[camera.id] != nil { continue }
      found[index] = entry(for: camera, besides: used)
      if let entry = found[index] { used.insert(entry.key) }
    }
    var taken = chosenIDs.union(present.values.map(\.id))
    return zip(cameras, found).map { camera, entry in
      if let chosen = entry?.id { return Naming(id: chosen, entry: entry) }
      let id = present[camera.id]?.id ?? DeviceID.unused(camera.id, taken)
      taken.insert(id)
      return Naming(id: id, entry: entry)
    }
  }

  private func entry(for camera: DeviceIdentity, besides used: Set<String>) -> Entry? {
    let matching = entries.filter { !used.contains($0.key) && $0.matches(camera) }
    return matching.first { $0.key == camera.id } ?? matching.first { $0.isLink } ?? matching.first
  }
}
