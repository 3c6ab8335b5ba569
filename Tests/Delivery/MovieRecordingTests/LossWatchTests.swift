import CaptureCore
import SystemClocks
import Testing

@testable import MovieRecording

/// When the log tells of frames that recordings lost, and by whose recordings they are counted.
struct LossWatchTests {
  private static func time(_ seconds: UInt64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 5_000_000_000 + seconds * 1_000_000_000)
  }

  @Test func theFirstLossIsToldAtOnceAndWhatFollowsOnceAMinute() {
    var watch = LossWatch()
    #expect(watch.take([:], at: Self.time(0)) == [:])
    #expect(watch.take(["a": DropCounts(late: 1)], at: Self.time(1)) == ["a": DropCounts(late: 1)])
    #expect(watch.take(["a": DropCounts(late: 2)], at: Self.time(2)) == [:])
    #expect(watch.take(["b": DropCounts(damaged: 3)], at: Self.time(59)) == [:])
    #expect(watch.take(["a": DropCounts(late: 4)], at: Self.time(60)) == [:])
    #expect(watch.take([:], at: Self.time(61)) == ["a": DropCounts(late: 6), "b": DropCounts(damaged: 3)])
    #expect(watch.take([:], at: Self.time(200)) == [:])
    #expect(watch.take(["a": DropCounts(late: 1)], at: Self.time(201)) == ["a": DropCounts(late: 1)])
  }

  @Test func lossesAreCountedForTheirSessionAndForAll() {
    let counters = RecordingCounters()
    counters.of("a").count(dropped: DropCounts(late: 1))
    counters.of("b").count(dropped: DropCounts())
    counters.of("a").count(dropped: DropCounts(damaged: 2))
    counters.count(dropped: DropCounts(late: 4))
    #expect(counters.now.dropped == DropCounts(late: 5, damaged: 2))
    #expect(counters.takeLosses() == ["a": DropCounts(late: 1, damaged: 2), "writers": DropCounts(late: 4)])
    #expect(counters.takeLosses() == [:])
    counters.of("b").countFailure()
    #expect(counters.now.failures == 1)
  }
}
