import CaptureCore
import Imaging
import MovieTestKit
import Testing
import VideoCoding

@testable import MovieRecording

/// What a history keeps and gives up. The samples have no pictures.
@Suite(.enabled(if: MovieCodec.h264.isAvailable))
struct SampleHistoryTests {
  private let pool = FramePool(budget: 64 << 20)
  private let track: MovieTrack

  init() throws { track = try Self.track(FramePool(budget: 1 << 20), width: 64) }

  private static func track(_ pool: FramePool, width: Int) throws -> MovieTrack {
    let grey = BoardPictures(pool: pool, size: Size(width: width, height: 32))
    return try MovieTrack(of: try JPEGEncoder(pool: pool).encode(try grey.picture(0, at: 0), quality: 50))
  }

  private func sample(_ time: UInt64, isKeyFrame: Bool, pages: Int = 1) -> MovieSample {
    MovieSample(
      bytes: pool.take(pages * 4096)!.freeze(count: pages * 4096), presentationTime: time, duration: 1,
      isKeyFrame: isKeyFrame)
  }

  /// Appends samples at 0, 1, 2 and so on, of which each fourth is a key frame.
  private func append(_ times: Range<UInt64>, to history: inout SampleHistory, pages: Int = 1) -> Int {
    times.reduce(0) { lost, time in
      lost + history.append(sample(time, isKeyFrame: time % 4 == 0, pages: pages), of: track)
    }
  }

  private func times(_ history: SampleHistory) -> [UInt64] { history.samples.map(\.presentationTime) }

  @Test func groupsGoOnceTheRestReachesBackFarEnough() {
    var history = SampleHistory(duration: 8, maximumBytes: 1 << 20)
    #expect(append(0..<12, to: &history) == 0)
    #expect(times(history) == Array(0..<12))
    #expect(append(12..<15, to: &history) == 0)
    #expect(times(history) == Array(4..<15))
    #expect(history.bytes == 11 * 4096)
  }

  @Test func tooManyBytesCostTheOldestGroups() {
    var history = SampleHistory(duration: 1000, maximumBytes: 10 * 4096)
    #expect(append(0..<10, to: &history) == 0)
    #expect(append(10..<11, to: &history) == 4)
    #expect(times(history) == Array(4..<11))
  }

  @Test func aGroupThatDoesNotFitIsNotKept() {
    var history = SampleHistory(duration: 1000, maximumBytes: 10 * 4096)
    #expect(append(1..<2, to: &history) == 1)
    // The key frame at 4 does not fit, and what follows it cannot be decoded.
    #expect(append(4..<8, to: &history, pages: 11) == 4)
    #expect(times(history) == [])
    #expect(history.track == nil)
    #expect(append(8..<10, to: &history) == 0)
    #expect(times(history) == [8, 9])
  }

  @Test func anotherTrackBeginsTheHistoryAnew() throws {
    var history = SampleHistory(duration: 1000, maximumBytes: 1 << 20)
    _ = append(0..<6, to: &history)
    let same = try Self.track(pool, width: 64)
    #expect(history.append(sample(6, isKeyFrame: true), of: same) == 0)
    #expect(times(history) == Array(0..<7))
    #expect(history.append(sample(7, isKeyFrame: true), of: try Self.track(pool, width: 96)) == 0)
    #expect(times(history) == [7])
  }

  @Test(arguments: [(0, 0), (1, 0), (3, 2), (4, 2), (5, 2), (60, 2), (61, nil)] as [(UInt64, Int?)])
  func aRecordingBeginsWithTheKeyFrameAtOrBeforeTheFirstFrameWanted(_ start: UInt64, _ first: Int?) {
    let frames = [(0, true), (2, false), (4, true), (60, false)].map { PreRollFrame(time: $0, isKeyFrame: $1) }
    #expect(PreRollFrame.first(of: frames, from: start) == first)
  }

  @Test func lossesAreCountedFromATimeOn() {
    var losses = DropLedger()
    for time: UInt64 in 0..<2000 { losses.add(DropCounts(late: 1), at: time) }
    losses.add(DropCounts(), at: 2000)
    #expect(losses.sum(from: 0).late == 2000)
    #expect(losses.sum(from: 1000).late == 2000 - 1000)
    losses.take(before: 1020)
    #expect(losses.sum(from: 0).late == 2000 - 1020)
    #expect(losses.sum(from: 1024) == DropCounts())
  }

  @Test func withoutAKeyFrameNothingIsTaken() {
    let frames = [PreRollFrame(time: 3, isKeyFrame: false), PreRollFrame(time: 4, isKeyFrame: true)]
    #expect(PreRollFrame.first(of: frames, from: 3) == nil)
    #expect(PreRollFrame.first(of: frames, from: 4) == 1)
    #expect(PreRollFrame.first(of: [], from: 0) == nil)
  }
}
