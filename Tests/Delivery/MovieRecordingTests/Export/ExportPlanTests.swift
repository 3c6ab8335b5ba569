import Testing
import VideoCoding

@testable import MovieRecording

/// Which samples make the movie of a span. A sample lasts 10 ms, has 100 bytes, and every fifth one is a key frame.
struct ExportPlanTests {
  private func part(at position: Int64, count: Int = 20) -> ExportPlan.Part {
    let samples = (0..<count).map { (number: Int) -> MovieIndex.Sample in
      // Between fragments of ten samples lie the heads of boxes.
      let offset = number * 100 + number / 10 * 50
      return MovieIndex.Sample(
        offset: UInt64(offset), count: 100, time: Int64(number) * 10_000_000, isKeyFrame: number % 5 == 0)
    }
    return ExportPlan.Part(position: position * 1_000_000, samples: samples, endTime: Int64(count) * 10_000_000)
  }

  private func plan(_ parts: [ExportPlan.Part], duration: Int64) -> ExportPlan {
    ExportPlan(parts, duration: duration * 1_000_000)
  }

  private func times(_ plan: ExportPlan) -> [Int64] { plan.samples.map { $0.time / 1_000_000 } }

  @Test func aSpanOfWholeRecordingsHasAllSamples() {
    let plan = self.plan([part(at: 0), part(at: 200)], duration: 1000)
    #expect(times(plan) == Array(stride(from: Int64(0), to: 400, by: 10)))
    #expect(plan.startTime == 0)
    #expect(plan.endTime == 400_000_000)
    #expect(
      plan.extents == [
        .init(part: 0, offset: 0, count: 1000), .init(part: 0, offset: 1050, count: 1000),
        .init(part: 1, offset: 0, count: 1000), .init(part: 1, offset: 1050, count: 1000),
      ])
  }

  @Test func aSpanBeginsAtTheKeyFrameBefore() {
    // The span begins with the frame 7, and the key frame is the frame 5.
    let plan = self.plan([part(at: -70)], duration: 30)
    #expect(times(plan) == [-20, -10, 0, 10, 20])
    #expect(plan.startTime == 0)
    #expect(plan.endTime == 30_000_000)
    #expect(plan.extents == [.init(part: 0, offset: 500, count: 500)])
  }

  @Test func theFirstFrameHasTheTimeZero() {
    // The span begins 4 ms before the frame 7.
    let plan = self.plan([part(at: -66)], duration: 25)
    #expect(times(plan) == [-20, -10, 0, 10, 20])
    #expect(plan.startTime == 4_000_000)
    // The last frame is shown until the span ends.
    #expect(plan.endTime == 21_000_000)
  }

  @Test func aFrameAtTheEndDoesNotBelongToTheSpan() {
    #expect(times(plan([part(at: 0)], duration: 30)) == [0, 10, 20])
    #expect(times(plan([part(at: 0)], duration: 31)) == [0, 10, 20, 30])
  }

  @Test func aGapStaysAsItWas() {
    let plan = self.plan([part(at: -190), part(at: 510)], duration: 525)
    // The frame 19 of the first part with its key frame, and two frames of the second part.
    #expect(times(plan) == [-40, -30, -20, -10, 0, 510, 520])
    #expect(plan.endTime == 525_000_000)
  }

  /// The movie of a span that ends soon after its last frame stays the same, whenever the next frame comes.
  @Test func aRecordingThatGrowsDoesNotChangeTheMovieOfItsBeginning() {
    let (part, longer) = (part(at: 0, count: 20), part(at: 0, count: 30))
    let plans = [part, longer].map { self.plan([$0], duration: 195) }
    #expect(plans.map(\.endTime) == [195_000_000, 195_000_000])
    #expect(plans[0].samples == plans[1].samples)
    #expect(plans[0].extents == plans[1].extents)
  }

  @Test func aRecordingBeforeTheSpanCountsForNothing() {
    let plan = self.plan([part(at: -500), part(at: 10)], duration: 15)
    #expect(times(plan) == [0])
    #expect(plan.extents == [.init(part: 1, offset: 0, count: 100)])
    #expect(plan.startTime == 10_000_000)
  }

  @Test func aSpanWithoutAFrameIsEmpty() {
    #expect(plan([part(at: -500), part(at: 100)], duration: 100).samples.isEmpty)
    #expect(plan([part(at: 5)], duration: 5).samples.isEmpty)
    #expect(plan([], duration: 5).samples.isEmpty)
  }

  /// A pre-roll reaches into the recording before.
  @Test func framesOfTwoRecordingsComeOnce() {
    let plan = self.plan([part(at: 0), part(at: 149)], duration: 1000)
    #expect(times(plan) == Array(stride(from: Int64(0), to: 150, by: 10)) + stride(from: Int64(149), to: 349, by: 10))
    #expect(plan.extents.last == .init(part: 1, offset: 1050, count: 1000))
  }

  /// How long the last frame of a recording is shown is an estimate, and the next frame may come earlier.
  @Test func aFrameBeforeTheEstimatedEndOfTheRecordingBeforeItIsInTheSpan() {
    let plan = ExportPlan([part(at: 0), part(at: 198)], duration: 198_000_001)
    #expect(times(plan) == Array(stride(from: Int64(0), to: 200, by: 10)) + [198])
  }

  /// A pre-roll is longer than the recording before.
  @Test func aRecordingInsideAnotherOneIsNotNeeded() {
    let plan = self.plan([part(at: 0), part(at: 50, count: 5), part(at: 200, count: 2)], duration: 1000)
    #expect(times(plan) == Array(stride(from: Int64(0), to: 220, by: 10)))
    #expect(plan.extents.map(\.part) == [0, 0, 2])
  }

  /// A span of a nanosecond has the frame of exactly this time, and no other.
  @Test func aSpanIsExactToTheNanosecond() {
    func times(from start: Int64) -> [Int64] {
      var part = part(at: 0)
      part.position = -start
      return ExportPlan([part], duration: 1).samples.map { $0.time + start }
    }
    #expect(times(from: 50_000_000) == [50_000_000])
    #expect(times(from: 49_999_000) == [] && times(from: 49_999_999) == [] && times(from: 50_000_001) == [])
  }

  private static let sources = ["a", "b"].map {
    MovieExport.Source(recording: $0, isOptimizedForNetworkUse: false)
  }

  @Test func aSpanThatBeginsWithAKeyFrameNeedsNothingAnew() {
    #expect(plan([part(at: -50)], duration: 100).leadingGroup(in: Self.sources) == nil)
  }

  @Test func whatIsBeforeTheFirstKeyFrameOfASpanIsEncodedAnew() throws {
    // The span begins with the frame 7, and the next key frames are 10 and 15.
    let place = try #require(plan([part(at: -70)], duration: 90).leadingGroup(in: Self.sources))
    #expect(place.samples.map(\.offset) == [500, 600, 700, 800, 900])
    #expect((place.first, place.source) == (2, Self.sources[0]))
    #expect((place.next?.offset, place.nextSource) == (1050, Self.sources[0]))
    // The span may end before that, and the next recording may follow.
    let short = try #require(plan([part(at: -70)], duration: 20).leadingGroup(in: Self.sources))
    #expect(short.samples.map(\.time) == [-20_000_000, -10_000_000, 0, 10_000_000])
    #expect(short.next == nil && short.nextSource == nil)
    let seam = try #require(plan([part(at: -190), part(at: 10)], duration: 30).leadingGroup(in: Self.sources))
    #expect((seam.samples.count, seam.first) == (5, 4))
    #expect((seam.next?.offset, seam.nextSource) == (0, Self.sources[1]))
  }

  @Test func whatWasEncodedAnewTakesThePlaceOfTheGroup() {
    var plan = self.plan([part(at: -70)], duration: 90)
    let recoded = [0, 10, 20].map { (time: Int64) in
      MovieIndex.Sample(offset: UInt64(time * 3), count: 30, time: time * 1_000_000, isKeyFrame: time == 0)
    }
    plan.cut(to: 90_000_000, with: recoded)
    #expect(times(plan) == Array(stride(from: Int64(0), to: 90, by: 10)))
    #expect(plan.samples[..<3] == recoded[...])
    #expect(plan.endTime == 90_000_000)
    #expect(
      plan.extents == [
        .init(part: ExportPlan.inMemory, offset: 0, count: 90), .init(part: 0, offset: 1050, count: 600),
      ])
  }

  @Test func aGroupAtTheEndOfTheSpanIsReplacedAsAWhole() {
    var plan = self.plan([part(at: -70)], duration: 20)
    plan.cut(
      to: 20_000_000,
      with: [0, 10_000_000].map { MovieIndex.Sample(offset: 0, count: 9, time: $0, isKeyFrame: $0 == 0) })
    #expect(times(plan) == [0, 10])
    #expect(plan.extents.map(\.part) == [ExportPlan.inMemory, ExportPlan.inMemory])
  }
}
