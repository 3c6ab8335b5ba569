import CaptureTestKit
import SystemClocks
import Testing

@testable import MovieRecording

/// Where frames lie in a movie.
struct MovieTimelineTests {
  private static let period: UInt64 = 33_333_333

  /// The times in the movie of frames with these time stamps, in milliseconds; -1 for a frame without a place.
  private func times(_ stamps: [UInt64], in timeline: inout MovieTimeline) -> [Int64] {
    stamps.map { stamp in
      timeline.place(MonotonicInstant(nanoseconds: stamp * 1_000_000), period: Self.period).map {
        Int64($0 / 1_000_000)
      }
        ?? -1
    }
  }

  @Test func aMovieBeginsWithItsFirstFrame() {
    var timeline = MovieTimeline()
    #expect(times([5000, 5033, 5067], in: &timeline) == [0, 33, 67])
    #expect(timeline.duration == 67_000_000 + Self.period)
  }

  /// Neither a variable rate nor a gap is smoothed away.
  @Test func timesAreThoseOfTheFrames() {
    var timeline = MovieTimeline()
    #expect(times([1000, 1010, 1100, 6100, 6101], in: &timeline) == [0, 10, 100, 5100, 5101])
  }

  /// Containers have no place for a frame that is as old as the one before.
  @Test func aFrameThatIsNotNewerHasNoPlace() {
    var timeline = MovieTimeline()
    #expect(times([1000, 1033, 1033, 1020, 1067], in: &timeline) == [0, 33, -1, -1, 67])
  }

  @Test func aPauseIsLeftOut() {
    var timeline = MovieTimeline()
    #expect(times([1000, 1040], in: &timeline) == [0, 40])
    timeline.cut()
    // The newest frame is shown for its period before the next one follows.
    #expect(times([9000, 9040], in: &timeline) == [73, 113])
    // It was as long as from the end of that frame to the next one, in whole microseconds.
    #expect(timeline.pauses == [RecordingPause(movieTime: 73_334_000, duration: 7_926_666_000)])
  }

  /// Recorded times are movie times and the pauses before them.
  @Test func pausesTellWhenEachFrameWasRecorded() {
    var timeline = MovieTimeline()
    var placed: [(stamp: UInt64, time: UInt64)] = []
    var generator = SeededGenerator(seed: 50)
    var stamp: UInt64 = 1_000_000_000
    for _ in 0..<300 {
      if Int.random(in: 0..<10, using: &generator) == 0 { timeline.cut() }
      stamp += .random(in: 1000...90_000, using: &generator) * 1000
      let time = timeline.place(MonotonicInstant(nanoseconds: stamp), period: Self.period)
      if let time { placed.append((stamp, time)) }
    }
    for (stamp, time) in placed {
      let leftOut = timeline.pauses.filter { $0.movieTime <= time }.reduce(0) { $0 + $1.duration }
      #expect(stamp - placed[0].stamp == time + leftOut)
      #expect(time % 1000 == 0)
    }
    #expect(zip(placed, placed.dropFirst()).allSatisfy { $0.time < $1.time })
  }

  @Test func aPauseThatIsShorterThanAFrameLeavesNothingOut() {
    var timeline = MovieTimeline()
    #expect(times([1000, 1040], in: &timeline) == [0, 40])
    timeline.cut()
    #expect(times([1060], in: &timeline) == [60])
    #expect(timeline.pauses == [])
  }

  @Test func aPauseBeforeTheFirstFrameChangesNothing() {
    var timeline = MovieTimeline()
    timeline.cut()
    #expect(times([1000, 1040], in: &timeline) == [0, 40])
  }

  @Test func aFrameOfBeforeThePauseDoesNotEndIt() {
    var timeline = MovieTimeline()
    #expect(times([1000, 1040], in: &timeline) == [0, 40])
    timeline.cut()
    #expect(times([1020, 5000], in: &timeline) == [-1, 73])
  }
}
