import CaptureCore
import Foundation
import Imaging
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Where the writer changes files. The samples are JPEG pictures, each of which is a key frame.
@Suite(.enabled(if: MovieCodec.motionJPEG.isAvailable && MovieContainer.isAvailable))
struct SegmentWriterTests {
  private static let period: UInt64 = 40_000_000

  private let folder = StoreFolder()
  private let store: RecordingStore
  private let desk: SegmentDesk
  private let writer: SegmentWriter
  private let picture: Picture
  private let track: MovieTrack

  init() throws {
    let pool = FramePool(budget: 16 << 20)
    picture = try JPEGEncoder(pool: pool).encode(BoardPictures(pool: pool).picture(0, at: 0), quality: 80)
    track = try MovieTrack(of: picture)
    store = try folder.open()
    // Segments of ten frames, and fragments of two.
    let settings = RecordingSettings(container: .mov, codec: .motionJPEG, fragmentInterval: 2 * Self.period)
    desk = SegmentDesk(
      SegmentPlan(
        session: "front", output: "movie", settings: settings, duration: 10 * Self.period, retention: Retention(),
        size: picture.layout.size), in: store)
    writer = SegmentWriter(
      desk, counters: RecordingCounters(), stamp: Self.stamp, takeDropped: { _ in DropCounts() })
  }

  private static func stamp(_ time: UInt64) -> MonotonicInstant { MonotonicInstant(nanoseconds: 1_000_000_000 + time) }

  private func prepare(_ number: UInt64) {
    desk.prepare(at: number * Self.period, Self.stamp(number * Self.period))
  }

  private func append(_ numbers: some Sequence<UInt64>) throws {
    for number in numbers {
      try writer.append(
        MovieSample(
          bytes: picture.buffer, presentationTime: number * Self.period, duration: Self.period, isKeyFrame: true),
        of: track)
    }
  }

  /// The first and the number of frames of each segment, the oldest first.
  private func segments() async throws -> [[UInt64]] {
    try await store.records().sorted { $0.number < $1.number }.map { record in
      let saved = try folder.record(record.id)
      #expect(saved.startMonotonic == record.startMonotonic)
      let first = try #require(saved.startMonotonic).nanoseconds(since: Self.stamp(0)) / Self.period
      return [first, record.tally.frames]
    }
  }

  /// The frame 10, with which the second segment should begin, was lost in the encoder.
  @Test func theSeamAfterALostKeyFrameIsWhereTheCoderMadeIt() async throws {
    prepare(0)
    try append(0..<10)
    prepare(10)
    try append(11..<20)
    prepare(20)
    try append(20..<24)
    // The disk has the start of a segment while the segment is written.
    #expect(try await segments().map { $0[0] } == [0, 11, 20])
    try writer.end(.stopped)
    #expect(try await segments() == [[0, 10], [11, 9], [20, 4]])
  }

  /// The store deleted the only other file of the folder after it had reserved the segment.
  @Test func aFolderThatIsGoneIsMadeAgain() async throws {
    prepare(0)
    _ = try await store.records()
    try FileManager.default.removeItem(atPath: folder.path("front"))
    try append(0..<4)
    try writer.end(.stopped)
    #expect(try await segments() == [[0, 4]])
    #expect(try await store.records().map(\.isUsable) == [true])
  }

  /// Until a segment ends, its duration is that of whole fragments.
  @Test func theDurationIsThatOfTheFramesThatPlay() async throws {
    prepare(0)
    try append(0..<4)
    let record = try #require(try await store.records().first)
    #expect(record.tally.frames == 2)
    #expect(record.duration == 2 * Self.period)
    try writer.end(.stopped)
    #expect(try await store.records().map(\.duration) == [4 * Self.period])
  }
}
