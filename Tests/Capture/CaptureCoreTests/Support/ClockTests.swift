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

/// Tests how time stamps of CLOCK_MONOTONIC become times of the wall clock.
@Suite struct WallClockTests {
  /// The present instant of the monotonic clock converts to the present time of the wall clock.
  @Test func aMonotonicInstantConvertsToTheWallClock() {
    let clock = WallClock()
    let before = SystemClock.wallNanoseconds()
    let found = clock.wallNanoseconds(atMonotonic: SystemClock.monotonicNanoseconds())
    let after = SystemClock.wallNanoseconds()
    // The offset between the clocks is as exact as the time between the two reads that enclose its sample. The
    // tolerance of 0.1 s allows for a thread that was preempted between the reads.
    #expect(found + 100_000_000 > before)
    #expect(found < after + 100_000_000)
  }

  /// Two instants keep their order and about their distance on the wall clock.
  @Test func distancesBetweenInstantsAreKept() {
    let clock = WallClock()
    let now = SystemClock.monotonicNanoseconds()
    let first = clock.wallNanoseconds(atMonotonic: now)
    let second = clock.wallNanoseconds(atMonotonic: now + 33_333_333)
    // The distance is exact while the offset is the same. The clock may take a new sample between the two calls, for
    // which the tolerance of 0.1 s allows.
    #expect(second > first)
    #expect(second - first < 133_333_333)
  }
}
