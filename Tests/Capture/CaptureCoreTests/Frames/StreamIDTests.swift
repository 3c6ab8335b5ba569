import CaptureCore
import Testing

/// Tests the ids of streams, by which clients tell a stream from the next one.
@Suite struct StreamIDTests {
  /// Four tasks that make ids at the same time each get growing ids, and no two tasks get the same id.
  @Test func idsGrowAndAreUniqueAcrossTasks() async {
    let perTask = await withTaskGroup(of: [UInt64].self, returning: [[UInt64]].self) { group in
      for _ in 0..<4 { group.addTask { (0..<500).map { _ in StreamID.next() } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for ids in perTask { #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }) }
    #expect(Set(perTask.joined()).count == 2000)
  }

  /// An id is below 2^53, so that clients that store numbers as doubles keep it exactly.
  @Test func fitsADouble() {
    let id = StreamID.next()
    #expect(id < 1 << 53)
    #expect(UInt64(Double(id)) == id)
  }
}
