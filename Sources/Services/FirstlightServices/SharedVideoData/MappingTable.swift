/// Which of a program's mappings hold which slab, so that each slab is handed over once and few are mapped. A value.
struct MappingTable: Sendable {
  /// As many as a program keeps.
  static let capacity = 64

  private struct Entry: Sendable {
    var slab: UInt64
    var lastUse: UInt64
  }
  private var entries: [Entry] = []
  private var uses: UInt64 = 0

  /// Where the slab of number `slab` is mapped, or is to be mapped in place of the one used least recently.
  ///
  /// - Parameter held: slabs whose mappings stay, because the program holds frames in them: fewer than there are mappings.
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
