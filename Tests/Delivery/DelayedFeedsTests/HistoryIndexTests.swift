import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import DelayedFeeds

/// Where pictures lie in the file of a history, and which of them go. Segments have 100 bytes here.
struct HistoryIndexTests {
  static let second: UInt64 = 1_000_000_000

  /// An index that takes a picture of the same size each second.
  private struct Stage {
    var index = HistoryIndex<Int>(segmentBytes: 100)
    var second: UInt64 = 0

    /// Adds a picture a second after the one before.
    @discardableResult
    mutating func add(_ bytes: Int, keeping kept: UInt64, limit: Int = 100) -> Int? {
      second += 1
      let captured = MonotonicInstant(nanoseconds: second * HistoryIndexTests.second)
      let offset = index.place(
        bytes, at: captured, keeping: kept * HistoryIndexTests.second, segmentLimit: limit)
      if let offset { index.append(Int(second), at: captured, offset: offset, count: bytes) }
      return offset
    }
  }

  @Test func picturesFillOneSegmentAfterTheOther() {
    var stage = Stage()
    #expect((0..<5).map { _ in stage.add(40, keeping: 60) } == [0, 40, 100, 140, 200])
    #expect(stage.index.fileBytes == 300)
  }

  /// The file wraps around when pictures are old enough, and does not grow any more.
  @Test func theSegmentsOfOldPicturesAreUsedAgain() {
    var stage = Stage()
    var offsets: [Int] = []
    for _ in 0..<200 { offsets.append(stage.add(40, keeping: 5)!) }
    #expect(offsets.max()! < 500)
    #expect(stage.index.fileBytes <= 500)
    #expect(stage.index.reach == nil)
    // All of the last five seconds is there, and no two pictures share bytes.
    #expect(stage.index.entries.suffix(6).map(\.content) == Array(195...200))
    let places = stage.index.entries.map { $0.offset..<$0.offset + $0.count }.sorted { $0.lowerBound < $1.lowerBound }
    #expect(zip(places, places.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
  }

  @Test func thePictureOfTheHorizonStays() {
    var stage = Stage()
    for _ in 0..<50 {
      stage.add(60, keeping: 3)
      let horizon = MonotonicInstant(nanoseconds: stage.second * Self.second) - 3 * Self.second
      if stage.second > 4 { #expect(stage.index.newest(at: horizon) != nil) }
    }
  }

  /// When the file may not grow, the oldest pictures go, and the index tells how far it reaches back.
  @Test func largePicturesMakeTheHistoryShorter() {
    var stage = Stage()
    for _ in 0..<40 { stage.add(50, keeping: 30, limit: 4) }
    #expect(stage.index.fileBytes == 400)
    let reach = stage.index.reach
    #expect(reach != nil && reach! >= 4 * Self.second && reach! <= 8 * Self.second)
    // Smaller pictures fit again, and the promise holds again once old pictures go for their age.
    for _ in 0..<80 { stage.add(5, keeping: 30, limit: 4) }
    #expect(stage.index.reach == nil)
  }

  /// The camera was away for longer than the history reaches back. No reader misses the pictures before the gap.
  @Test func picturesBeforeAGapGoUnnoticed() {
    var stage = Stage()
    for _ in 0..<2 { stage.add(100, keeping: 10, limit: 2) }
    stage.second += 60
    for _ in 0..<2 { stage.add(100, keeping: 10, limit: 2) }
    #expect(stage.index.reach == nil)
    #expect(stage.index.entries.map(\.content) == [63, 64])
    stage.add(100, keeping: 10, limit: 2)
    #expect(stage.index.reach == 0)
  }

  /// The rate decides how large the file may become.
  @Test func aGapIsNoLowRate() {
    let times = [0, 1, 2, 62, 63, 64].map { MonotonicInstant(nanoseconds: $0 * Self.second) }
    #expect(HistoryBudget.rate(of: times) == 1)
    #expect(HistoryBudget.rate(of: Array(times[2...4])) == 1)
    #expect(HistoryBudget.rate(of: Array(times[..<1])) == 30)
    #expect(HistoryBudget.rate(of: [times[0], times[0]]) == 1000)
  }

  @Test func aPictureLargerThanASegmentHasNoPlace() {
    var stage = Stage()
    #expect(stage.add(101, keeping: 1) == nil)
    #expect(stage.add(100, keeping: 1) == 0)
  }

  /// The file gets smaller when the readers with long delays have gone.
  @Test func theFileShrinksWithTheLongestDelay() {
    var stage = Stage()
    for _ in 0..<60 { stage.add(50, keeping: 50) }
    #expect(stage.index.fileBytes > 2000)
    for _ in 0..<60 { stage.add(50, keeping: 2) }
    #expect(stage.index.fileBytes <= 400)
  }

  @Test func theNewestPictureOfAnInstantIsFound() {
    var stage = Stage()
    for _ in 0..<10 { stage.add(10, keeping: 60) }
    func content(_ tenths: UInt64) -> Int? {
      stage.index.newest(at: MonotonicInstant(nanoseconds: tenths * Self.second / 10)).map {
        stage.index.entries[$0].content
      }
    }
    #expect(content(9) == nil)
    #expect(content(10) == 1)
    #expect(content(35) == 3)
    #expect(content(999) == 10)
  }

  @Test func lossesAreSummedUpToEachPicture() {
    var stage = Stage()
    stage.index.lose(DropCounts(late: 2), omitted: 1)
    stage.add(10, keeping: 60)
    stage.index.lose(DropCounts(damaged: 1))
    stage.add(10, keeping: 60)
    #expect(stage.index.entries.map(\.losses.dropped) == [DropCounts(late: 2), DropCounts(late: 2, damaged: 1)])
    let (first, second) = (stage.index.entries[0].losses, stage.index.entries[1].losses)
    #expect(second.since(first) == HistoryLosses(dropped: DropCounts(damaged: 1)))
  }

  @Test func theBudgetGrowsWithAllThatPicturesNeed() {
    let small = HistoryBudget.segments(Size(width: 320, height: 180), quality: 80, rate: 30, delay: 2 * Self.second)
    let large = HistoryBudget.segments(Size(width: 1920, height: 1080), quality: 80, rate: 30, delay: 10 * Self.second)
    let huge = HistoryBudget.segments(Size(width: 3840, height: 2160), quality: 100, rate: 60, delay: 60 * Self.second)
    #expect(small == 3)
    #expect(small < large && large < huge)
    #expect(huge * HistoryBudget.segmentBytes == HistoryBudget.largest)
  }
}
