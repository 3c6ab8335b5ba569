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
