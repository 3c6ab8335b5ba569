internal import CaptureCore

/// Gives cameras their ids, and remembers which serial numbers still tell one camera from another. A value.
///
/// A camera whose serial number was seen once is called by it, at whatever port. Two cameras with the same number, seen at once,
/// end that: the number identifies nothing any more, and each camera is called by its port. One exception keeps
/// configurations working and never changes an id's owner: where the id by serial number was given at one port only, it
/// stays the id of the camera at that port. Where it was given at several, nobody can tell any more which of the two
/// cameras it meant, so it is given to none.
struct SerialNumbers: Hashable {
  /// Where an id by serial number was given to a camera.
  enum Place: Hashable {
    case nowhere
    /// As ``CameraIdentity/fallback``, the id of a camera at that port.
    case one(String)
    case several
  }

  struct Entry: Hashable {
    /// As ``CameraIdentity/preferred``.
    var id: String
    var place: Place
    /// Whether two cameras with this number were there at once.
    var isShared: Bool
  }

  /// Of serial numbers that are remembered.
  static let limit = 1024

  /// Those whose cameras came the longest ago first.
  private(set) var entries: [Entry] = []

  init() {}

  /// - Parameter entries: each with another id, at most ``limit``.
  init(_ entries: [Entry]) { self.entries = entries }

  /// Gives every camera an id, all different.
  ///
  /// A camera that has an id keeps it while it is present: an id must not change under a running session.
  ///
  /// - Parameter present: ids in use.
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

  /// - Parameter present: the ids by serial number of all cameras that are there; those are not forgotten.
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

  /// Takes out the entry of `id`, or makes one. Nil when there is no room: only shared numbers, which must not be forgotten, and
  /// those of cameras that are there.
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
  /// Whether the hardware tells one camera of the model from another.
  fileprivate var hasSerialNumber: Bool { preferred != fallback }
}
