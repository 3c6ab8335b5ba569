import CaptureCore
import CaptureTestKit
import Imaging
import Logging
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// What a run and its recordings note of frames. Neither the encoder nor a file runs, so each test says in which order
/// things happen, and what waits for the encoder waits for ever. 25 frames come in a second.
@Suite(.enabled(if: MovieCodec.h264.isAvailable))
struct PreRollRunTests {
  private static let period: UInt64 = 40_000_000
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

  private let pool = FramePool(budget: 16 << 20)
  private let run: PreRollRun

  init() {
    var settings = RecordingSettings()
    settings.maximumPreRoll = 10_000_000_000
    run = PreRollRun(
      settings, frameRate: Rational(25, 1), counters: RecordingCounters(), onFailure: { _, _ in },
      onSteady: { _ in }, onFinish: {})
  }

  /// Gives the run a frame of this time after the first one.
  private func receive(at time: UInt64, missing: DropCounts = DropCounts()) throws {
    run.receive(try frame(at: time, missing: missing))
  }

  private func frame(
    at time: UInt64, missing: DropCounts = DropCounts(), matrix: FrameLayout.Matrix = .bt709, device: String = ""
  ) throws -> CapturedFrame {
    let stamp = Self.start + time
    let picture = try BoardPictures(pool: pool, matrix: matrix).picture(0, at: time)
    return CapturedFrame(
      frame: Frame(
        streamID: 1, sequence: 0,
        time: FrameTime(
          monotonic: stamp, wall: WallInstant(nanoseconds: stamp.nanoseconds), source: .endOfFrame),
        layout: picture.layout, buffer: picture.buffer, missing: missing),
      input: "camera", configRevision: 1, device: device)
  }

  private func makeRecorder(limits: RecordingLimits = RecordingLimits()) -> (MovieRecorder, PreRollFeed) {
    let feed = PreRollFeed(of: run)
    let recorder = MovieRecorder(
      to: .file(""), settings: RecordingSettings(fragmentInterval: 400_000_000, limits: limits), samples: feed,
      counters: RecordingCounters())
    return (recorder, feed)
  }

  private func dropped(_ recorder: MovieRecorder) -> DropCounts { recorder.progress.tally.dropped }

  /// The second frame has its own time in the movie then, as without a pause.
  @Test func aPauseMayFallBetweenTwoFramesThatComeEarly() throws {
    let (recorder, feed) = makeRecorder()
    run.attach(recorder, feed, from: nil)
    try receive(at: 0)
    #expect(recorder.pause() && recorder.resume())
    try receive(at: Self.period - 1)
    #expect(recorder.progress.duration == 2 * Self.period - 1)
    #expect(recorder.pauses == [])
  }

  @Test func aFrameFitsOnlyThoseOfItsCameraAndColours() throws {
    #expect(run.obstacle(for: try frame(at: 0, device: "other")) == .otherCamera)
    try receive(at: 0)
    #expect(run.obstacle(for: try frame(at: 1)) == nil)
    #expect(run.obstacle(for: try frame(at: 1, matrix: .bt601))?.metadata["cause"] == "the format changed")
    #expect(run.obstacle(for: try frame(at: 1, device: "other")) == .otherCamera)
  }

  @Test func aRecordingThatHasEndedIsNotAttached() {
    let (recorder, feed) = makeRecorder()
    recorder.end(.stopped)
    run.attach(recorder, feed, from: nil)
    #expect(run.recordingCount == 0)
  }

  /// A frame whose time stamp is not newer has no place in a movie, and neither have the frames before it that the
  /// camera lost.
  @Test(arguments: [period, period - 1, 0])
  func aFrameThatIsNotNewerIsCounted(_ time: UInt64) throws {
    let (early, late) = (makeRecorder(), makeRecorder())
    run.attach(early.0, early.1, from: nil)
    try receive(at: 0)
    try receive(at: Self.period)
    try receive(at: time, missing: DropCounts(discontinuity: 2))
    run.attach(late.0, late.1, from: Self.start)
    #expect(dropped(early.0) == DropCounts(late: 1, discontinuity: 2))
    #expect(dropped(late.0) == dropped(early.0))
  }

  /// The encoder may lose a frame that came before the recording.
  @Test func aLostFrameIsCountedWhereItIsExpected() throws {
    let (recorder, feed) = makeRecorder()
    try receive(at: 0)
    run.attach(recorder, feed, from: nil)
    try receive(at: Self.period)
    run.lose(DropCounts(damaged: 1), at: 0)
    #expect(dropped(recorder) == DropCounts())
    run.lose(DropCounts(damaged: 1), at: Self.period)
    #expect(dropped(recorder) == DropCounts(damaged: 1))
    // The end of the encoder loses frames without telling which ones.
    run.lose(DropCounts(outOfBuffers: 1), at: .max)
    #expect(dropped(recorder) == DropCounts(outOfBuffers: 1, damaged: 1))
  }

  @Test func whatWasLostAfterTheEndOfAMovieIsNotCounted() throws {
    for number: UInt64 in 0..<5 { try receive(at: number * Self.period) }
    run.lose(DropCounts(damaged: 1), at: Self.period)
    run.lose(DropCounts(damaged: 1), at: 4 * Self.period)
    let (short, long) = (makeRecorder(limits: RecordingLimits(duration: 2 * Self.period)), makeRecorder())
    run.attach(short.0, short.1, from: Self.start)
    run.attach(long.0, long.1, from: Self.start)
    #expect(dropped(short.0) == DropCounts(damaged: 1))
    #expect(dropped(long.0) == DropCounts(damaged: 2))
  }

  @Test func aRunThatEndsKeepsNoHistory() throws {
    let memory = FramePool(budget: 4096)
    let picture = try JPEGEncoder(pool: pool).encode(try BoardPictures(pool: pool).picture(0, at: 0), quality: 50)
    func keepSample() throws {
      let sample = MovieSample(
        bytes: memory.take(4096)!.freeze(count: 4096), presentationTime: 0, duration: 1, isKeyFrame: true)
      run.put(sample, of: try MovieTrack(of: picture), nil)
    }
    func hasMemory() -> Bool {
      if memory.take(4096) != nil { true } else { false }
    }
    try keepSample()
    #expect(!hasMemory())
    run.end(.session(CaptureError(.operationInterrupted, "The session stopped.")))
    // The encoder gives out what it holds, unless it hangs.
    try keepSample()
    #expect(hasMemory())
  }
}

/// How many encoders of an output may be at work.
struct PreRollSlotsTests {
  @Test func encodersThatDoNotEndLeaveNoRoomForAnother() throws {
    var settings = RecordingSettings()
    settings.maximumPreRoll = 1_000_000_000
    let slots = RunSlots()
    for _ in 0..<RunSlots.count { #expect(slots.take()) }
    let preRoll = PreRoll(
      settings, session: "front", counters: RecordingCounters(), slots: slots, logger: Logger(label: "test"))
    preRoll.goOn(frameRate: nil)
    let file = TemporaryFile("mp4")
    let error = #expect(throws: CaptureError.self) { try preRoll.record(to: .file(file.path), settings) }
    #expect(error?.reason == .processingFailed)
    slots.giveBack()
    try preRoll.record(to: .file(file.path), settings).end(.stopped)
    preRoll.pause(CaptureError(.operationInterrupted, "The session stopped."))
  }
}
