/// The ids of the last captures, so that no two captures have the same id. A value.
///
/// When a new id exceeds the capacity, the oldest id is forgotten.
struct UsedIDs: Sendable {
  private let capacity: Int
  private var ids: Set<String> = []
  /// The ids in the order of their captures. Once the ring is full, the id at `oldest` is overwritten next.
  private var ring: [String] = []
  private var oldest = 0

  /// - Parameter capacity: the number of ids to remember, at least 1.
  init(capacity: Int) { self.capacity = capacity }

  func contains(_ id: String) -> Bool { ids.contains(id) }

  /// Remembers an id that is not remembered yet.
  mutating func insert(_ id: String) {
    ids.insert(id)
    if ring.count < capacity {
      ring.append(id)
    } else {
      ids.remove(ring[oldest])
      ring[oldest] = id
      oldest = (oldest + 1) % capacity
    }
  }
}
