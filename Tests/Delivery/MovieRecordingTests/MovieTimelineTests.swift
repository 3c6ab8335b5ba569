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
