import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import Locking
import Logging
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Recordings that begin before their request, judged by FFmpeg's programs. 25 frames come in a second, and each 25th
/// is a key frame. The limit only ends a broken test.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct PreRollTests {
  private static let period: UInt64 = 40_000_000
  private static let second: UInt64 = 1_000_000_000

  private let pool = FramePool(budget: 256 << 20)

  /// Something that feeds one output.
  private final class Camera {
    let preRoll: PreRoll
    let settings: RecordingSettings
    let pictures: BoardPictures
    let encoder: JPEGEncoder?

    init(_ settings: RecordingSettings, pool: FramePool, maximum: UInt64 = 10 * second) {
      var settings = settings
      settings.maximumPreRoll = maximum
      settings.fragmentInterval = 400_000_000
      self.settings = settings
      pictures = BoardPictures(pool: pool)
      encoder = settings.pictures.codec == .motionJPEG ? JPEGEncoder(pool: pool) : nil
      preRoll = PreRoll(
        settings, session: "front", counters: RecordingCounters(), logger: Logger(label: "test"))
      preRoll.goOn(frameRate: Rational(25, 1))
    }

    static func stamp(_ number: Int) -> MonotonicInstant {
      MonotonicInstant(nanoseconds: second + UInt64(number) * period)
    }

    /// Gives frames as fast as the encoder takes them.
    func show(_ numbers: Range<Int>) async throws {
      for number in numbers {
        while preRoll.isBusy { await Task.yield() }
        let stamp = Self.stamp(number)
        var picture = try pictures.picture(number, at: stamp.nanoseconds)
        if let encoder { picture = try encoder.encode(picture, quality: 90) }
        let time = FrameTime(
          monotonic: stamp, wall: WallInstant(nanoseconds: stamp.nanoseconds), source: .endOfFrame)
        preRoll.receive(
          CapturedFrame(
            frame: Frame(
              streamID: 1, sequence: UInt64(number), time: time, layout: picture.layout, buffer: picture.buffer),
            input: "camera", configRevision: 1))
      }
    }

    /// Starts a recording that was requested with the frame `number`.
    func record(
      to file: TemporaryFile, at number: Int, preRoll duration: UInt64?, limits: RecordingLimits = RecordingLimits()
    ) throws -> MovieRecorder {
      var settings = settings
      settings.limits = limits
      settings.preRoll = duration.map { PreRollRequest(time: Self.stamp(number), duration: $0) }
      return try preRoll.record(to: .file(file.path), settings)
    }
  }

  /// Waits for the end. Returns all events.
  private func events(of recorder: MovieRecorder) async throws -> [RecordingEvent] {
    var events: [RecordingEvent] = []
    for await event in recorder.events { events.append(event) }
    return events
  }

  /// Checks the frames of a file and their times.
  private func check(_ file: TemporaryFile, has numbers: [Int], gaps: Bool = false) throws {
    let (packets, ticks) = try ProbedPacket.packets(file.path)
    let boards = try MediaTools.boards(file.path, BoardPictures(pool: pool).size).boards
    #expect(boards.map { $0.map { Int($0.sequence) } } == numbers)
    if !gaps { #expect(packets.map { $0.time * 1000 / ticks } == numbers.indices.map { Int64($0) * 40 }) }
  }

  @Test(arguments: [(MovieCodec.h264, "mp4"), (.h264, "mkv"), (.hevc, "mov"), (.motionJPEG, "mov"), (.ffv1, "mkv")])
  func everyFrameIsThereFromBeforeTheRequest(_ codec: MovieCodec, _ ending: String) async throws {
    let container = try #require(MovieContainer.allCases.first { $0.fileExtension == ending })
    let camera = Camera(RecordingSettings(container: container, codec: codec), pool: pool)
    try await camera.show(0..<60)
    let (first, second) = (TemporaryFile(ending), TemporaryFile(ending))
    let one = try camera.record(to: first, at: 55, preRoll: Self.second)
    try await camera.show(60..<80)
    one.end(.stopped)
    // The next recording begins before the end of the first one, while its file may not be complete.
    try await camera.show(80..<90)
    let two = try camera.record(to: second, at: 90, preRoll: 30 * Self.period)
    try await camera.show(90..<95)
    two.end(.stopped)
    let hasOnlyKeyFrames = codec == .motionJPEG || codec == .ffv1
    let start = hasOnlyKeyFrames ? 30 : 25
    #expect(
      try await events(of: one) == [.started(Camera.stamp(start)), .willFinish(.stopped), .finished(.stopped)])
    #expect(try await events(of: two).first == .started(Camera.stamp(60)))
    try check(first, has: Array(start..<80))
    try check(second, has: Array(60..<95))
    #expect(one.progress.tally.frames == UInt64(80 - start))
    #expect(one.progress.tally.dropped == DropCounts())
    #expect(one.progress.duration == UInt64(80 - start) * Self.period)
  }

  @Test func aSessionThatRanForLessGivesWhatItHas() async throws {
    let camera = Camera(RecordingSettings(), pool: pool)
    let (early, late) = (TemporaryFile("mp4"), TemporaryFile("mp4"))
    // No frame has come yet.
    let one = try camera.record(to: early, at: 0, preRoll: 5 * Self.second)
    try await camera.show(0..<3)
    one.end(.stopped)
    let two = try camera.record(to: late, at: 3, preRoll: 5 * Self.second)
    two.end(.stopped)
    _ = try await events(of: one)
    _ = try await events(of: two)
    try check(early, has: Array(0..<3))
    try check(late, has: Array(0..<3))
  }

  @Test func aRecordingWithoutPreRollBeginsWithTheNextFrame() async throws {
    let camera = Camera(RecordingSettings(), pool: pool)
    try await camera.show(0..<37)
    let file = TemporaryFile("mp4")
    let recorder = try camera.record(to: file, at: 37, preRoll: nil)
    try await camera.show(37..<50)
    recorder.end(.stopped)
    _ = try await events(of: recorder)
    try check(file, has: Array(37..<50))
  }

  @Test func whatIsOlderThanTheHistoryIsGone() async throws {
    let camera = Camera(RecordingSettings(), pool: pool, maximum: Self.second)
    try await camera.show(0..<200)
    let file = TemporaryFile("mp4")
    let recorder = try camera.record(to: file, at: 200, preRoll: 8 * Self.second)
    recorder.end(.stopped)
    guard case .started(let start) = try await events(of: recorder).first else { return #expect(Bool(false)) }
    // The second, the slack, at most two groups and what the encoder holds.
    #expect(start >= Camera.stamp(200 - 25 - 50 - 50 - 25))
    #expect(start <= Camera.stamp(200 - 25 - 50))
  }

  @Test func aPauseOfTheSessionEmptiesTheHistoryAndEndsTheRecording() async throws {
    let camera = Camera(RecordingSettings(), pool: pool)
    try await camera.show(0..<30)
    let (first, second) = (TemporaryFile("mp4"), TemporaryFile("mp4"))
    let one = try camera.record(to: first, at: 30, preRoll: Self.second)
    try await camera.show(30..<40)
    let error = CaptureError(.operationInterrupted, "The session stopped.")
    camera.preRoll.pause(error)
    camera.preRoll.goOn(frameRate: Rational(25, 1))
    try await camera.show(40..<50)
    let two = try camera.record(to: second, at: 50, preRoll: 5 * Self.second)
    camera.preRoll.pause(error)
    #expect(try await events(of: one).last == .finished(.session(error)))
    #expect(try await events(of: two).last == .finished(.session(error)))
    try check(first, has: Array(0..<40))
    try check(second, has: Array(40..<50))
  }

  @Test func aClientsPauseLeavesFramesOut() async throws {
    let camera = Camera(RecordingSettings(), pool: pool)
    try await camera.show(0..<30)
    let file = TemporaryFile("mp4")
    let recorder = try camera.record(to: file, at: 30, preRoll: Self.second / 5)
    try await camera.show(30..<40)
    #expect(recorder.pause())
    try await camera.show(40..<47)
    #expect(recorder.resume())
    try await camera.show(47..<60)
    recorder.end(.stopped)
    _ = try await events(of: recorder)
    try check(file, has: Array(25..<40) + Array(47..<60))
    #expect(recorder.progress.tally.dropped == DropCounts())
  }

  @Test func theLongestDurationMayEndWithinTheHistory() async throws {
    let camera = Camera(RecordingSettings(), pool: pool)
    try await camera.show(0..<60)
    let file = TemporaryFile("mp4")
    let recorder = try camera.record(
      to: file, at: 60, preRoll: 2 * Self.second, limits: RecordingLimits(duration: Self.second))
    #expect(try await events(of: recorder).last == .finished(.maximumDuration))
    try check(file, has: Array(0..<25))
  }
}
