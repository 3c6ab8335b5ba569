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

@Suite struct WallClockTests {
  @Test func aMonotonicInstantIsFoundOnTheWall() {
    let clock = WallClock()
    let before = SystemClock.wallNanoseconds()
    let found = clock.wallNanoseconds(atMonotonic: SystemClock.monotonicNanoseconds())
    let after = SystemClock.wallNanoseconds()
    // The offset is as good as the bracket it was measured in; a tenth of a second allows for any preemption.
    #expect(found + 100_000_000 > before)
    #expect(found < after + 100_000_000)
  }

  @Test func distancesAreKept() {
    let clock = WallClock()
    let now = SystemClock.monotonicNanoseconds()
    let first = clock.wallNanoseconds(atMonotonic: now)
    let second = clock.wallNanoseconds(atMonotonic: now + 33_333_333)
    // Exact within one sampling of the offset; a new one may fall between the two calls.
    #expect(second > first)
    #expect(second - first < 133_333_333)
  }
}
