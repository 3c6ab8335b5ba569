import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// The life of a writer: in which order its calls may come, which samples it takes, and what it tells.
struct AssetWriterStateMachineTests {
  private typealias Action = AssetWriterStateMachine.Action
  private static let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
  private static let layout = FrameLayout.packed(.nv12, Size(width: 64, height: 32))!
  private static let full = CaptureError(.processingFailed, "The disk is full.")

  private func configuration(isRealTime: Bool = false) -> WriterConfiguration {
    var made = WriterConfiguration(
      container: .mp4,
      video: WriterConfiguration.Video(codec: .h264, layout: Self.layout))
    made.audio = [AudioConnection(input: "audio", format: Self.format)]
    made.isRealTime = isRealTime
    return made
  }

  private func writing(isRealTime: Bool = false) throws -> AssetWriterStateMachine {
    var machine = AssetWriterStateMachine(id: "w", configuration(isRealTime: isRealTime))
    try machine.start()
    machine.didOpen()
    _ = try machine.beginSource(of: Self.layout, isAttached: false)
    return machine
  }

  private func picture(
    at milliseconds: UInt64, isKeyFrame: Bool = true, _ buffer: FrameBuffer = .empty
  ) -> WriterSample {
    let stamp = MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    let frame = Frame(
      streamID: 1, sequence: 0, time: FrameTime(monotonic: stamp, wall: .epoch, source: .arrival),
      layout: Self.layout, buffer: buffer)
    return WriterSample(CapturedFrame(frame: frame, input: "video", configRevision: 0), isKeyFrame: isKeyFrame)
  }

  /// Sound of 100 ms.
  private func sound(at milliseconds: UInt64) -> WriterSample {
    WriterSample(
      AudioBlock(
        format: Self.format, time: MonotonicInstant(nanoseconds: milliseconds * 1_000_000),
        samples: Array(repeating: 0, count: 4800)), of: "audio")
  }

  private func reason(_ body: () throws -> Void) -> CaptureError.Reason? {
    do { try body() } catch { return (error as? CaptureError)?.reason }
    return nil
  }

  // MARK: Lifecycle

  @Test func aWriterThatHasNotStartedTakesNothing() {
    var machine = AssetWriterStateMachine(id: "w", configuration())
    #expect(reason { _ = try machine.beginSource(of: Self.layout, isAttached: false) } == .writerNotStarted)
    #expect(reason { _ = try machine.place(picture(at: 0), from: 1) } == .writerNotStarted)
    #expect(reason { try machine.endSession() } == .writerNotStarted)
    #expect(reason { try machine.finish() } == .writerNotStarted)
    #expect(machine.takeActions() == [])
    #expect(machine.state == .unknown)
  }

  @Test func aWriterIsConfiguredBeforeItStarts() throws {
    var machine = AssetWriterStateMachine(id: "w", configuration())
    try machine.configure(configuration(isRealTime: true))
    #expect(machine.configuration.isRealTime)
    try machine.start()
    #expect(reason { try machine.configure(configuration()) } == .writerStarted)
    machine.didOpen()
    #expect(reason { try machine.configure(configuration()) } == .writerStarted)
    #expect(machine.configuration.isRealTime)
  }

  @Test func aWriterIsUsedOnce() throws {
    var machine = try writing()
    #expect(reason { try machine.start() } == .writerStarted)
    try machine.finish()
    machine.note(RecordingTally.ofOnePicture)
    machine.didEnd(.stopped, for: Self.full)
    #expect(machine.state == .completed)
    #expect(reason { try machine.start() } == .writerEnded)
    #expect(reason { _ = try machine.beginSource(of: Self.layout, isAttached: false) } == .writerEnded)
    #expect(reason { try machine.endSession() } == .writerEnded)
    #expect(reason { try machine.finish() } == .writerEnded)
    #expect(reason { try machine.cancel() } == .writerEnded)
    #expect(reason { try machine.configure(configuration()) } == .writerEnded)
  }

  @Test func finishingEndsTheSourceAndTheMovieOnce() throws {
    var machine = try writing()
    try machine.finish()
    let actions = machine.takeActions()
    #expect(actions.count == 2)
    #expect(actions.last == .finishMovie)
    guard case .endSource(let error) = actions[0] else {
      Issue.record("the source goes on")
      return
    }
    #expect(error.reason == .writerEnded)
    try machine.finish()
    #expect(machine.takeActions() == [])
    #expect(reason { try machine.cancel() } == .writerEnded)
  }

  @Test func anEndedSessionTakesNothingAndCanBeFinished() throws {
    var machine = try writing()
    try machine.endSession()
    #expect(machine.takeActions().count == 1)
    #expect(reason { _ = try machine.place(picture(at: 0), from: 1) } == .writerEnded)
    #expect(reason { try machine.endSession() } == .writerEnded)
    machine.note(hasRoomForPictures: true, forSound: true)
    #expect(!machine.inputs[0].isReady && !machine.inputs[1].isReady)
    try machine.finish()
    #expect(machine.takeActions() == [.finishMovie])
  }

  @Test func aCancelledWriterRemovesItsMovie() throws {
    var machine = try writing()
    try machine.cancel()
    #expect(machine.takeActions().last == .discardMovie)
    // The movie ends before it goes.
    machine.didEnd(.failed(Self.full), for: Self.full)
    #expect(!machine.isOver)
    machine.didDiscard(nil)
    #expect(machine.state == .cancelled)
    machine.didEnd(.stopped, for: Self.full)
    #expect(machine.state == .cancelled)
  }

  @Test func aMovieThatCannotBeRemovedFailsTheWriter() throws {
    var machine = try writing()
    try machine.cancel()
    machine.didDiscard(Self.full)
    #expect(machine.state == .failed(Self.full))
    #expect(AssetWriterState(machine, recording: "movie").recording == "movie")
  }

  @Test func aWriterThatIsOpeningCannotBeCancelled() throws {
    var machine = AssetWriterStateMachine(id: "w", configuration())
    try machine.start()
    #expect(reason { try machine.cancel() } == .writerStarted)
    machine.didFail(Self.full)
    #expect(machine.state == .failed(Self.full))
  }

  @Test func aMovieWithoutAPictureFailsTheWriter() throws {
    var machine = try writing()
    try machine.finish()
    machine.didEnd(.stopped, for: Self.full)
    guard case .failed(let error) = machine.state else {
      Issue.record("it has not failed")
      return
    }
    #expect(error.reason == .writerEnded)
  }

  @Test func aMovieThatFailsFailsTheWriter() throws {
    var machine = try writing()
    machine.didEnd(.failed(Self.full), for: Self.full)
    #expect(machine.state == .failed(Self.full))
    #expect(machine.takeActions().count == 1)
  }

  @Test func aWriterThatNobodyUsesEnds() throws {
    var unused = AssetWriterStateMachine(id: "w", configuration())
    #expect(!unused.isEnding)
    unused.expire()
    #expect(unused.state == .cancelled && unused.isEnding)
    var machine = try writing()
    #expect(!machine.isEnding)
    machine.expire()
    #expect(machine.isEnding)
    #expect(machine.takeActions().last == .finishMovie)
    machine.note(RecordingTally.ofOnePicture)
    machine.didEnd(.stopped, for: Self.full)
    machine.expire()
    #expect(machine.state == .completed)
    #expect(machine.takeActions() == [])
  }

  @Test func anotherSourceTakesOver() throws {
    var machine = try writing()
    let second = try machine.beginSource(of: Self.layout, isAttached: false)
    guard case .endSource(let error) = machine.takeActions().first else {
      Issue.record("the first source goes on")
      return
    }
    #expect(error.reason == .operationInterrupted)
    #expect(second == 2)
    // A sample of the first source may still be on its way.
    #expect(reason { _ = try machine.place(picture(at: 0), from: 1) } == .operationInterrupted)
    #expect(reason { _ = try machine.place(picture(at: 0), from: 2) } == nil)
  }

  // MARK: Clocks

  /// Takes a sample. Returns its time in the movie, in nanoseconds.
  private func take(
    _ sample: WriterSample, from source: UInt64, by machine: inout AssetWriterStateMachine
  ) throws -> UInt64 {
    let placed = try machine.place(sample, from: source)
    machine.didTake(placed)
    return placed.time
  }

  @Test func theMovieHasTheClockOfItsFirstSource() throws {
    var machine = try writing()
    let source = try machine.beginSource(of: Self.layout, isAttached: true)
    #expect(try take(sound(at: 3000), from: source, by: &machine) == 3_000_000_000)
    #expect(try take(picture(at: 3040), from: source, by: &machine) == 3_040_000_000)
  }

  @Test func anAttachedOutputWithAnotherClockContinuesTheMovie() throws {
    var machine = try writing()
    _ = try take(picture(at: 100_000), from: 1, by: &machine)
    let source = try machine.beginSource(of: Self.layout, isAttached: true)
    #expect(reason { _ = try machine.place(sound(at: 3000), from: source) } == .invalidArgument)
    // One period of 30 pictures a second after the newest picture.
    let next: UInt64 = 100_033_333_333
    #expect(try take(picture(at: 3000), from: source, by: &machine) == next)
    #expect(try take(picture(at: 3040), from: source, by: &machine) == next + 40_000_000)
    #expect(try take(sound(at: 3000), from: source, by: &machine) == next)
  }

  @Test func anAttachedOutputWithTheSameClockKeepsItsTimes() throws {
    var machine = try writing()
    _ = try take(picture(at: 100_000), from: 1, by: &machine)
    let source = try machine.beginSource(of: Self.layout, isAttached: true)
    #expect(try take(picture(at: 130_000), from: source, by: &machine) == 130_000_000_000)
    #expect(try take(picture(at: 130_040), from: source, by: &machine) == 130_040_000_000)
  }

  /// Its pictures would end the movie.
  @Test func aSourceWithOtherColoursIsRefused() throws {
    var machine = try writing()
    let other = FrameLayout.packed(.nv12, Size(width: 64, height: 32), range: .full, matrix: .bt709)!
    #expect(try machine.beginSource(of: other, isAttached: true) == 2)
    _ = try machine.beginSource(of: Self.layout, isAttached: false)
    _ = try take(picture(at: 0), from: 3, by: &machine)
    _ = machine.takeActions()
    #expect(reason { _ = try machine.beginSource(of: other, isAttached: true) } == .notSupportedInConfiguration)
    #expect(machine.takeActions() == [])
    let full = FrameLayout.packed(.nv12, Size(width: 64, height: 32), range: .full)!
    #expect(try machine.beginSource(of: full, isAttached: true) == 4)
  }

  // MARK: Samples

  @Test func samplesAreCounted() throws {
    var machine = try writing()
    machine.note(hasRoomForPictures: true, forSound: false)
    #expect(machine.inputs.map(\.isReady) == [true, false])
    for time in [1000, 1040, 1080] as [UInt64] {
      _ = try machine.place(picture(at: time), from: 1)
      machine.didTake(picture(at: time))
    }
    machine.didRefuse(sampleOf: "video")
    machine.didTake(sound(at: 1000))
    machine.didRefuse(sampleOf: "audio")
    #expect(machine.inputs.map(\.appended) == [3, 1])
    #expect(machine.inputs.map(\.refused) == [1, 1])
    var tally = RecordingTally()
    (tally.frames, tally.dropped.damaged, tally.soundEnds) = (2, 1, [99_000_000])
    machine.note(tally)
    #expect(machine.inputs.map(\.acknowledged) == [2, 0])
    #expect(machine.inputs[0].dropped == DropCounts(damaged: 1))
    tally.soundEnds = [100_000_000]
    machine.note(tally)
    machine.note(tally)
    #expect(machine.inputs[1].acknowledged == 1)
  }

  /// What follows a refused picture in H.264 needs it.
  @Test func afterARefusedPictureTheNextOneIsAKeyFrame() throws {
    var machine = try writing(isRealTime: true)
    _ = try take(picture(at: 0), from: 1, by: &machine)
    #expect(!machine.hasGap(before: picture(at: 40, isKeyFrame: false)))
    machine.didRefuse(sampleOf: "audio")
    #expect(!machine.hasGap(before: picture(at: 40, isKeyFrame: false)))
    machine.didRefuse(sampleOf: "video")
    #expect(machine.hasGap(before: picture(at: 80, isKeyFrame: false)))
    #expect(!machine.hasGap(before: sound(at: 80)))
    #expect(!machine.hasGap(before: picture(at: 120)))
    _ = try take(picture(at: 120), from: 1, by: &machine)
    #expect(!machine.hasGap(before: picture(at: 160, isKeyFrame: false)))
  }

  /// The file keeps in memory what follows a key frame.
  @Test func keyFramesComeOftenEnough() throws {
    let megabyte = FramePool(budget: 1 << 21).take(1 << 20)!.freeze(count: 1 << 20)
    var machine = try writing()
    _ = try take(picture(at: 0, megabyte), from: 1, by: &machine)
    for number in 1..<32 as Range<UInt64> {
      _ = try take(picture(at: 40 * number, isKeyFrame: false, megabyte), from: 1, by: &machine)
    }
    let small = picture(at: 2000, isKeyFrame: false)
    #expect(reason { _ = try machine.place(small, from: 1) } == .invalidArgument)
    _ = try take(picture(at: 2000, megabyte), from: 1, by: &machine)
    _ = try take(picture(at: 62_000, isKeyFrame: false), from: 1, by: &machine)
    #expect(reason { _ = try machine.place(picture(at: 62_001, isKeyFrame: false), from: 1) } == .invalidArgument)
    _ = try take(picture(at: 62_001), from: 1, by: &machine)
  }

  @Test func onlyRealTimeRefuses() throws {
    #expect(try writing().noRoom(isAttached: false) == .waits)
    #expect(try writing(isRealTime: true).noRoom(isAttached: false) == .isRefused)
    #expect(try writing().noRoom(isAttached: true) == .isRefused)
  }
}

extension RecordingTally {
  fileprivate static var ofOnePicture: RecordingTally {
    var tally = RecordingTally()
    tally.frames = 1
    return tally
  }
}
