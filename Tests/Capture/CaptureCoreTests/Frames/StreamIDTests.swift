import CaptureCore
import Testing

@Suite struct StreamIDTests {
  @Test func alwaysGrows() async {
    let perTask = await withTaskGroup(of: [UInt64].self, returning: [[UInt64]].self) { group in
      for _ in 0..<4 { group.addTask { (0..<500).map { _ in StreamID.next() } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for ids in perTask { #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }) }
    #expect(Set(perTask.joined()).count == 2000)
  }

  @Test func fitsADouble() {
    let id = StreamID.next()
    #expect(id < 1 << 53)
    #expect(UInt64(Double(id)) == id)
  }
}
