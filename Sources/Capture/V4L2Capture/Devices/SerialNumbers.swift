internal import CaptureCore

/// Gives cameras their ids, and remembers which serial numbers still distinguish one camera from another. A value.
///
/// A camera gets an id by its serial number, at whatever port it is, until two cameras with the same serial number are
/// present at once. From then on, the serial number identifies no camera any more, and each of these cameras gets an id
/// by its port.
///
/// There is one exception, which keeps configurations working without ever moving an id to another camera: when the id
/// by serial number was given at one port only, the camera at that port keeps this id. When the id was given at several
/// ports, nothing tells which of the two cameras it meant, so neither camera gets the id.
struct SerialNumbers: Hashable {
  /// The port at which a camera got an id by its serial number.
  enum Place: Hashable {
    case nowhere
    /// One port, named by the ``CameraIdentity/fallback`` of a camera at that port.
    case one(String)
    case several
  }

  struct Entry: Hashable {
    /// The id by serial number, which is the camera's ``CameraIdentity/preferred``.
    var id: String
    var place: Place
    /// Whether two cameras with this serial number were ever present at once.
    var isShared: Bool
  }

  /// The most serial numbers that are remembered.
  static let limit = 1024

  /// The remembered serial numbers. The one whose camera came the longest ago is first.
  private(set) var entries: [Entry] = []

  init() {}

  /// - Parameter entries: at most ``limit`` entries, no two with the same id.
  init(_ entries: [Entry]) { self.entries = entries }

  /// Gives every camera an id. No two cameras get the same id.
  ///
  /// A camera that has an id keeps the id while the camera is present, because an id must not change while a session
  /// runs.
  ///
  /// - Parameter present: the ids that cameras already have.
  mutating func name(_ cameras: [CameraIdentity], present: [CameraIdentity: String]) -> [CameraIdentity: String] {
    var ids = present.filter { cameras.contains($0.key) }
    var taken = Set(ids.values)
    let numbered = Dictionary(grouping: cameras.filter(\.hasSerialNumber), by: \.preferred)
    for camera in cameras where ids[camera] == nil {
      let wanted = name(camera, isShared: (numbered[camera.preferred]?.count ?? 0) > 1, besides: Set(numbered.keys))
      let id = DeviceID.unused(taken.contains(wanted) ? camera.fallback : wanted, taken)
      ids[camera] = id
      taken.insert(id)
    }
    return ids
  }

  /// The id that `camera` should have. The method notes the camera's port, and whether the serial number is shared.
  ///
  /// - Parameters:
  ///   - isShared: whether another camera with the same serial number is present.
  ///   - present: the ids by serial number of all cameras that are present; their entries are not forgotten.
  private mutating func name(_ camera: CameraIdentity, isShared: Bool, besides present: Set<String>) -> String {
    guard camera.hasSerialNumber, var entry = take(camera.preferred, besides: present) else { return camera.fallback }
    entry.isShared = entry.isShared || isShared
    defer { entries.append(entry) }
    switch entry.place {
    case .one(camera.fallback):
      return camera.preferred
    case _ where entry.isShared:
      return camera.fallback
    case .nowhere:
      entry.place = .one(camera.fallback)
    case .one, .several:
      entry.place = .several
    }
    return camera.preferred
  }

  /// Removes the entry of `id` and returns it, or returns a new entry. When the limit is reached, a new entry replaces
  /// the oldest one that may be forgotten. Nil when no entry may be forgotten: every entry is shared or belongs to a
  /// camera that is present.
  private mutating func take(_ id: String, besides present: Set<String>) -> Entry? {
    if let index = entries.firstIndex(where: { $0.id == id }) { return entries.remove(at: index) }
    if entries.count >= Self.limit {
      guard let index = entries.firstIndex(where: { !$0.isShared && !present.contains($0.id) }) else { return nil }
      entries.remove(at: index)
    }
    return Entry(id: id, place: .nowhere, isShared: false)
  }
}

extension CameraIdentity {
  /// Whether the hardware has a serial number, so that the id by serial number differs from the id by port.
  fileprivate var hasSerialNumber: Bool { preferred != fallback }
}
