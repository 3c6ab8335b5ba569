import CaptureCore
import CaptureTestKit
import Imaging
import Locking
import Logging
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// The log and the counters tell of an encoder that fails. Pictures that are not JPEG make the encoder of Motion JPEG
/// fail. 25 frames come in a second. The limit only ends a broken test.
@Suite(.enabled(if: MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct PreRollFailureTests {
  private static let period: UInt64 = 40_000_000

  private let pool = FramePool(budget: 64 << 20)
  private let log = Lines()
  private let counters = RecordingCounters()
  private let slots = RunSlots()
  private let preRoll: PreRoll

  init() {
    var settings = RecordingSettings(codec: .motionJPEG)
    settings.maximumPreRoll = 1_000_000_000
    preRoll = PreRoll(
      settings, session: "front", counters: counters, slots: slots,
      logger: Logger(label: "test") { [log] _ in log })
    preRoll.goOn(frameRate: Rational(25, 1))
  }

  private func receive(_ number: Int, isJPEG: Bool) async throws {
    let stamp = MonotonicInstant(nanoseconds: 1_000_000_000 + UInt64(number) * Self.period)
    var picture = try BoardPictures(pool: pool).picture(number, at: stamp.nanoseconds)
    if isJPEG { picture = try JPEGEncoder(pool: pool).encode(picture, quality: 90) }
    preRoll.receive(
      CapturedFrame(
        frame: Frame(
          streamID: 1, sequence: UInt64(number),
          time: FrameTime(
            monotonic: stamp, wall: WallInstant(nanoseconds: stamp.nanoseconds), source: .endOfFrame),
          layout: picture.layout, buffer: picture.buffer),
        input: "camera", configRevision: 1))
    await Task.yield()
  }

  /// Returns when all encoders have ended.
  private func encodersHaveEnded() async {
    for _ in 0..<RunSlots.count {
      while !slots.take() { await Task.yield() }
    }
    for _ in 0..<RunSlots.count { slots.giveBack() }
  }

  /// Returns when the frames so far are coded, without which a recording does not end.
  private func framesAreCoded() async throws {
    let file = TemporaryFile("mkv")
    let recorder = try preRoll.record(to: .file(file.path), RecordingSettings(container: .matroska, codec: .motionJPEG))
    recorder.end(.stopped)
    for await event in recorder.events {
      if case .finished = event { return }
    }
  }

  /// The lines of the log that say this of the encoder.
  private func lines(_ text: String) -> [String] {
    log.all.filter { $0.contains("pre-roll of the session \(text)") }
  }

  @Test func failuresInARowAreLoggedOnceAndTriedAgain() async throws {
    var number = 0
    while counters.now.preRollFailures < 3 {
      try await receive(number, isJPEG: false)
      number += 1
    }
    await encodersHaveEnded()
    #expect(lines("failed").count == 1)
    #expect(lines("failed").first?.hasPrefix("warning ") == true)
    #expect(lines("failed").first?.contains("front") == true)

    // The delay of four seconds begins with this frame.
    try await receive(number, isJPEG: true)
    let start = number + 100
    try await receive(start, isJPEG: true)
    try await receive(start + 1499, isJPEG: true)
    try await framesAreCoded()
    #expect(lines("has resumed").isEmpty)
    // A minute has 1,500 frames.
    try await receive(start + 1500, isJPEG: true)
    while lines("has resumed").isEmpty { await Task.yield() }
    #expect(lines("has resumed").first?.contains("\"run.failures\": 3") == true)

    // The next failure counts as the first one again.
    try await receive(start + 1501, isJPEG: false)
    while lines("failed").count < 2 { await Task.yield() }
    #expect(counters.now.preRollFailures == 4)
    preRoll.pause(CaptureError(.operationInterrupted, "The session stopped."))
    await encodersHaveEnded()
    #expect(lines("failed").count == 2 && lines("has resumed").count == 1)
  }
}
