/// The operator's names and settings for cameras, and the keys that find the cameras. The providers that make
/// ``Device`` values apply the directory, so that no other part of the daemon needs to know that a camera had another
/// id. A value.
public struct DeviceDirectory: Hashable, Sendable {
  /// The operator's settings for one camera. A property that is nil keeps the value that the hardware gives.
  public struct Entry: Hashable, Sendable {
    /// The key that finds the camera: the camera's own id, its ``Device/location``, or the path of a link to its node.
    public var key: String
    /// The id that the operator chose; nil for the camera's own id.
    public var id: String?
    /// The direction in which the camera looks; nil for the direction that the driver gives.
    public var position: DevicePosition?
    /// The clockwise rotation that makes the camera's pictures upright; nil for the rotation that the device already
    /// has.
    public var rotation: Orientation.Rotation?
    /// The name that the operator gave the camera, for people; nil for none.
    public var label: String?
    /// Whether the camera must be present when the daemon starts.
    public var isRequired: Bool

    /// Creates an entry. By default, it only requires that the camera is present.
    ///
    /// - Parameter key: the camera's own id, its ``Device/location``, or the path of a link to its node.
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

    /// Whether `key` is the path of a link. Only the file system tells which camera the link leads to.
    public var isLink: Bool { key.hasPrefix("/") }

    /// Whether the entry is about `camera`.
    public func matches(_ camera: DeviceIdentity) -> Bool {
      key == camera.id || camera.links.contains(key) || key == camera.location
    }
  }

  /// The id of one camera and the entry that is about the camera.
  public struct Naming: Hashable, Sendable {
    /// The camera's ``Device/id``.
    public var id: String
    /// The operator's settings for the camera; nil for a camera without an entry.
    public var entry: Entry?

    /// Returns `device` with this id and with the settings of the entry.
    public func applied(to device: Device) -> Device {
      var device = device
      device.id = id
      device.position = entry?.position ?? device.position
      device.mountingRotation = entry?.rotation ?? device.mountingRotation
      device.label = entry?.label ?? device.label
      return device
    }
  }

  /// The operator's entries. No two of them have the same key or the same id.
  public let entries: [Entry]
  /// All ids that the operator chose. No other camera gets one of them, even while the camera that an id was chosen for
  /// is absent.
  private let chosenIDs: Set<String>

  /// Creates a directory.
  ///
  /// - Parameter entries: the operator's entries; no two may have the same key or the same id.
  public init(_ entries: [Entry] = []) {
    self.entries = entries
    chosenIDs = Set(entries.compactMap(\.id))
  }

  /// The keys that are paths of links.
  public var links: [String] { entries.filter(\.isLink).map(\.key) }

  /// Gives each of `cameras` an id of its own.
  ///
  /// When several entries match one camera, an entry with the camera's own id comes first, then an entry with a link,
  /// then an entry with its location: the name of the camera counts more than the place of the camera. When one entry
  /// matches several cameras, the first of them gets the entry.
  ///
  /// - Parameters:
  ///   - cameras: all cameras that are present.
  ///   - present: the names of the cameras that were present before, by own id. A camera keeps its entry for as long as
  ///     it is present.
  ///   - streaming: the own ids of the cameras that stream. A streaming camera that has a name keeps it, even when
  ///     another entry matches the camera by now.
  /// - Returns: the names, in the order of `cameras`.
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

extension DeviceDirectory.Naming {
  /// Returns `microphone` with this id and with the label of the entry. The position and the mounting of an entry mean
  /// nothing to a microphone.
  public func applied(to microphone: Microphone) -> Microphone {
    var microphone = microphone
    microphone.id = id
    microphone.label = entry?.label ?? microphone.label
    return microphone
  }
}

extension DeviceDirectory {
  /// A conflict between an entry of the directory and the cameras that are present. Each case gives the entry as an
  /// index into ``entries``.
  public enum Problem: Hashable, Sendable {
    /// The entry requires its camera to be present, and no camera matches the entry.
    case absent(entry: Int)
    /// The entry matches several cameras; `cameras` has their own ids.
    case ambiguous(entry: Int, cameras: [String])
    /// The entry matches a camera that the entry `earlier` matches too; `camera` is the camera's own id.
    case repeated(entry: Int, earlier: Int, camera: String)
    /// The entry chooses an id that is the own id of another camera.
    case taken(entry: Int)

    /// The index of the entry that has the problem.
    public var entry: Int {
      switch self {
      case .absent(let entry), .ambiguous(let entry, _), .repeated(let entry, _, _), .taken(let entry): entry
      }
    }
  }

  /// Finds the problems that the operator should solve before the daemon serves these cameras.
  ///
  /// - Parameter cameras: all cameras that are present.
  /// - Returns: the problems in the order of the entries; empty when there are none.
  public func problems(with cameras: [DeviceIdentity]) -> [Problem] {
    entries.indices.flatMap { index -> [Problem] in
      let entry = entries[index]
      let found = cameras.filter(entry.matches)
      var problems: [Problem] = []
      if found.isEmpty, entry.isRequired { problems.append(.absent(entry: index)) }
      if found.count > 1 { problems.append(.ambiguous(entry: index, cameras: found.map(\.id))) }
      for camera in found {
        guard let earlier = entries[..<index].firstIndex(where: { $0.matches(camera) }) else { continue }
        problems.append(.repeated(entry: index, earlier: earlier, camera: camera.id))
      }
      if cameras.contains(where: { $0.id == entry.id && !entry.matches($0) }) { problems.append(.taken(entry: index)) }
      return problems
    }
  }
}
