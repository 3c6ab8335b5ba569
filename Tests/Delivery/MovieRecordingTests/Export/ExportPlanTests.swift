import Testing
import VideoCoding

@testable import MovieRecording

/// Which samples make the movie of a span. A sample lasts 10 ticks, has 100 bytes, and every fifth one is a key frame.
struct ExportPlanTests {
  private func part(at position: Int64, count: Int = 20) -> ExportPlan.Part {
    let samples = (0..<count).map { (number: Int) -> MovieIndex.Sample in
      // Between fragments of ten samples lie the heads of boxes.
      let offset = number * 100 + number / 10 * 50
      return MovieIndex.Sample(
        offset: UInt64(offset), count: 100, time: Int64(number) * 10, isKeyFrame: number % 5 == 0)
    }
    return ExportPlan.Part(position: position, samples: samples, endTime: Int64(count) * 10)
  }

  private func times(_ plan: ExportPlan) -> [Int64] { plan.samples.map(\.time) }

  @Test func aSpanOfWholeRecordingsHasAllSamples() {
    let plan = ExportPlan([part(at: 0), part(at: 200)], duration: 1000)
    #expect(times(plan) == Array(stride(from: Int64(0), to: 400, by: 10)))
    #expect(plan.startTime == 0)
    #expect(plan.endTime == 400)
    #expect(
      plan.extents == [
        .init(part: 0, offset: 0, count: 1000), .init(part: 0, offset: 1050, count: 1000),
        .init(part: 1, offset: 0, count: 1000), .init(part: 1, offset: 1050, count: 1000),
      ])
  }

  @Test func aSpanBeginsAtTheKeyFrameBefore() {
    // The span begins with the frame 7, and the key frame is the frame 5.
    let plan = ExportPlan([part(at: -70)], duration: 30)
    #expect(times(plan) == [-20, -10, 0, 10, 20])
    #expect(plan.startTime == 0)
    #expect(plan.endTime == 30)
    #expect(plan.extents == [.init(part: 0, offset: 500, count: 500)])
  }

  @Test func theFirstFrameHasTheTimeZero() {
    // The span begins 4 ticks before the frame 7.
    let plan = ExportPlan([part(at: -66)], duration: 25)
    #expect(times(plan) == [-20, -10, 0, 10, 20])
    #expect(plan.startTime == 4)
    // The last frame is shown until the span ends.
    #expect(plan.endTime == 21)
  }

  @Test func aFrameAtTheEndDoesNotBelongToTheSpan() {
    #expect(times(ExportPlan([part(at: 0)], duration: 30)) == [0, 10, 20])
    #expect(times(ExportPlan([part(at: 0)], duration: 31)) == [0, 10, 20, 30])
  }

  @Test func aGapStaysAsItWas() {
    let plan = ExportPlan([part(at: -190), part(at: 510)], duration: 525)
    // The frame 19 of the first part with its key frame, and two frames of the second part.
    #expect(times(plan) == [-40, -30, -20, -10, 0, 510, 520])
    #expect(plan.endTime == 525)
  }

  /// The movie of a span that ends soon after its last frame stays the same, whenever the next frame comes.
  @Test func aRecordingThatGrowsDoesNotChangeTheMovieOfItsBeginning() {
    let (part, longer) = (part(at: 0, count: 20), part(at: 0, count: 30))
    let plans = [part, longer].map { ExportPlan([$0], duration: 195) }
    #expect(plans.map(\.endTime) == [195, 195])
    #expect(plans[0].samples == plans[1].samples)
    #expect(plans[0].extents == plans[1].extents)
  }

  @Test func aRecordingBeforeTheSpanCountsForNothing() {
    let plan = ExportPlan([part(at: -500), part(at: 10)], duration: 15)
    #expect(times(plan) == [0])
    #expect(plan.extents == [.init(part: 1, offset: 0, count: 100)])
    #expect(plan.startTime == 10)
  }

  @Test func aSpanWithoutAFrameIsEmpty() {
    #expect(ExportPlan([part(at: -500), part(at: 100)], duration: 100).samples.isEmpty)
    #expect(ExportPlan([part(at: 5)], duration: 5).samples.isEmpty)
    #expect(ExportPlan([], duration: 5).samples.isEmpty)
  }

  /// A pre-roll reaches into the recording before.
  @Test func framesOfTwoRecordingsComeOnce() {
    let plan = ExportPlan([part(at: 0), part(at: 149)], duration: 1000)
    #expect(times(plan) == Array(stride(from: Int64(0), to: 150, by: 10)) + stride(from: Int64(149), to: 349, by: 10))
    #expect(plan.extents.last == .init(part: 1, offset: 1050, count: 1000))
  }

  /// A pre-roll is longer than the recording before.
  @Test func aRecordingInsideAnotherOneIsNotNeeded() {
    let plan = ExportPlan([part(at: 0), part(at: 50, count: 5), part(at: 200, count: 2)], duration: 1000)
    #expect(times(plan) == Array(stride(from: Int64(0), to: 220, by: 10)))
    #expect(plan.extents.map(\.part) == [0, 0, 2])
  }

  @Test func timesAreRoundedToTheNearestTick() {
    #expect(MovieIndex.ticks(1_000_000_000) == 90_000)
    #expect(MovieIndex.ticks(33_333_333) == 3000)
    #expect(MovieIndex.ticks(-5555) == 0 && MovieIndex.ticks(-5556) == -1)
    #expect(MovieIndex.ticks(5555) == 0 && MovieIndex.ticks(5556) == 1)
    #expect(MovieIndex.nanoseconds(90_001) == 1_000_011_111)
  }

  private static let sources = ["a", "b"].map {
    MovieExport.Source(recording: $0, isOptimizedForNetworkUse: false)
  }

  @Test func aSpanThatBeginsWithAKeyFrameNeedsNothingAnew() {
    #expect(ExportPlan([part(at: -50)], duration: 100).leadingGroup(in: Self.sources) == nil)
  }

  @Test func whatIsBeforeTheFirstKeyFrameOfASpanIsEncodedAnew() throws {
    // The span begins with the frame 7, and the next key frames are 10 and 15.
    let place = try #require(ExportPlan([part(at: -70)], duration: 90).leadingGroup(in: Self.sources))
    #expect(place.samples.map(\.offset) == [500, 600, 700, 800, 900])
    #expect((place.first, place.source) == (2, Self.sources[0]))
    #expect((place.next?.offset, place.nextSource) == (1050, Self.sources[0]))
    // The span may end before that, and the next recording may follow.
    let short = try #require(ExportPlan([part(at: -70)], duration: 20).leadingGroup(in: Self.sources))
    #expect(short.samples.map(\.time) == [-20, -10, 0, 10])
    #expect(short.next == nil && short.nextSource == nil)
    let seam = try #require(ExportPlan([part(at: -190), part(at: 10)], duration: 30).leadingGroup(in: Self.sources))
    #expect((seam.samples.count, seam.first) == (5, 4))
    #expect((seam.next?.offset, seam.nextSource) == (0, Self.sources[1]))
  }

  @Test func whatWasEncodedAnewTakesThePlaceOfTheGroup() {
    var plan = ExportPlan([part(at: -70)], duration: 90)
    let recoded = [0, 10, 20].map { (time: Int64) in
      MovieIndex.Sample(offset: UInt64(time * 3), count: 30, time: time, isKeyFrame: time == 0)
    }
    plan.cut(to: 90, with: recoded)
    #expect(times(plan) == Array(stride(from: Int64(0), to: 90, by: 10)))
    #expect(plan.samples[..<3] == recoded[...])
    #expect(plan.endTime == 90)
    #expect(
      plan.extents == [
        .init(part: ExportPlan.inMemory, offset: 0, count: 90), .init(part: 0, offset: 1050, count: 600),
      ])
  }

  @Test func aGroupAtTheEndOfTheSpanIsReplacedAsAWhole() {
    var plan = ExportPlan([part(at: -70)], duration: 20)
    plan.cut(
      to: 20, with: [0, 10].map { MovieIndex.Sample(offset: 0, count: 9, time: $0, isKeyFrame: $0 == 0) })
    #expect(times(plan) == [0, 10])
    #expect(plan.extents.map(\.part) == [ExportPlan.inMemory, ExportPlan.inMemory])
  }
}
