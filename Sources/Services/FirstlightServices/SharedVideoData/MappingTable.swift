/// Records which slab each of a program's mappings contains. The daemon sends the descriptor of a slab only when the
/// program has not mapped the slab, and the program maps at most ``capacity`` slabs. A value.
struct MappingTable: Sendable {
  /// The number of mappings that a program keeps.
  static let capacity = 64

  private struct Entry: Sendable {
    var slab: UInt64
    var lastUse: UInt64
  }
  private var entries: [Entry] = []
  private var uses: UInt64 = 0

  /// Returns the number of the mapping that contains a slab. A slab that no mapping contains gets a free mapping, or
  /// else takes the place of the slab that was used least recently.
  ///
  /// - Parameters:
  ///   - slab: the number of the slab.
  ///   - held: the numbers of slabs that keep their mappings, because the program holds frames in these slabs. There
  ///     must be fewer than ``capacity``.
  /// - Returns: the number of the mapping, and whether the program must map the slab there now.
  mutating func place(_ slab: UInt64, keeping held: Set<UInt64> = []) -> (mapping: Int, isNew: Bool) {
    uses += 1
    if let known = entries.firstIndex(where: { $0.slab == slab }) {
      entries[known].lastUse = uses
      return (known, false)
    }
    let entry = Entry(slab: slab, lastUse: uses)
    if entries.count < Self.capacity {
      entries.append(entry)
      return (entries.count - 1, true)
    }
    let free = entries.indices.filter { !held.contains(entries[$0].slab) }
    let oldest = free.min { entries[$0].lastUse < entries[$1].lastUse } ?? 0
    entries[oldest] = entry
    return (oldest, true)
  }
}
