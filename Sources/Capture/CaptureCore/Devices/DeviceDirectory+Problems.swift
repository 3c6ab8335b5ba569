extension DeviceDirectory {
  /// What is wrong with an entry, where certain cameras are present. Entries are told by their place in ``entries``.
  public enum Problem: Hashable, Sendable {
    /// Its camera has to be there and is not.
    case absent(entry: Int)
    /// It matches several cameras, which are told by their own ids.
    case ambiguous(entry: Int, cameras: [String])
    /// It matches a camera, told by its own id, that `earlier` matches too.
    case repeated(entry: Int, earlier: Int, camera: String)
    /// It chooses the own id of another camera.
    case taken(entry: Int)

    /// The entry it is about.
    public var entry: Int {
      switch self {
      case .absent(let entry), .ambiguous(let entry, _), .repeated(let entry, _, _), .taken(let entry): entry
      }
    }
  }

  /// What an operator should put right before these cameras are served, in the order of the entries.
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
