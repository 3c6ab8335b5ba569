import CaptureCore
import SystemClocks
import Testing

@testable import MovieRecording

/// The life of a recording: which frames it takes, what ends it, and what its watchers are told.
struct RecordingStateMachineTests {
  private typealias Action = RecordingStateMachine.Action
  private static let period: UInt64 = 40_000_000
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)
  private static let full = CaptureError(.processingFailed, "The disk is full.")

  /// Takes the frame with this number, 25 of which come in a second. Returns its time in the movie in milliseconds.
  private func take(_ number: UInt64, by machine: inout RecordingStateMachine) -> UInt64? {
    machine.take(Self.start + number * Self.period, period: Self.period).map { $0 / 1_000_000 }
  }

  private func recording(_ limits: RecordingLimits = RecordingLimits()) -> RecordingStateMachine {
    var machine = RecordingStateMachine(limits: limits)
    _ = machine.take(Self.start, period: Self.period)
    _ = machine.takeActions()
    return machine
  }

  @Test func theFirstFrameStartsTheMovie() {
    var machine = RecordingStateMachine(limits: RecordingLimits())
    #expect(machine.takeActions() == [])
    #expect(take(0, by: &machine) == 0)
    #expect(machine.takeActions() == [.tell(.started(Self.start))])
    #expect(take(1, by: &machine) == 40)
    #expect(machine.takeActions() == [])
  }

  @Test func aStopFinishesTheFileOnce() {
    var machine = recording()
    machine.end(.stopped)
    #expect(machine.takeActions() == [.tell(.willFinish(.stopped)), .finish])
    machine.end(.session(Self.full))
    #expect(machine.takeActions() == [])
    #expect(take(1, by: &machine) == nil)
    machine.didClose(nil)
    machine.didClose(nil)
    #expect(machine.takeActions() == [.tell(.finished(.stopped))])
    #expect(machine.state == .finished(.stopped))
  }

  /// A recording whose session never brings a frame must not wait for one.
  @Test func aRecordingWithoutAFrameFinishesToo() {
    var machine = RecordingStateMachine(limits: RecordingLimits())
    machine.end(.stopped)
    machine.didClose(nil)
    #expect(machine.takeActions() == [.tell(.willFinish(.stopped)), .finish, .tell(.finished(.stopped))])
  }

  @Test func aFileThatCannotBeCompletedIsTheReason() {
    var machine = recording()
    machine.end(.stopped)
    machine.didClose(Self.full)
    #expect(machine.state == .finished(.failed(Self.full)))
  }

  @Test func theFirstFailureIsTheReason() {
    var machine = recording()
    let first = CaptureError(.processingFailed, "The encoder failed.")
    machine.end(.failed(first))
    machine.didClose(Self.full)
    #expect(machine.state == .finished(.failed(first)))
  }

  // MARK: Pauses

  @Test func aPausedRecordingTakesNoFrames() {
    var machine = recording()
    machine.expectPause()
    #expect(take(1, by: &machine) == nil)
    machine.expectResume()
    #expect(take(10, by: &machine) == 40)
    #expect(machine.takeActions() == [.tell(.paused), .tell(.resumed), .tell(.continued)])
  }

  @Test func pausingTwiceIsTheSameAsOnce() {
    var machine = recording()
    machine.expectResume()
    #expect(machine.takeActions() == [])
    machine.expectPause()
    machine.expectPause()
    #expect(machine.takeActions() == [.tell(.paused)])
  }

  @Test func aRecordingThatWasPausedBeforeItsFirstFrameStartsAfterwards() {
    var machine = RecordingStateMachine(limits: RecordingLimits())
    machine.expectPause()
    machine.expectResume()
    #expect(machine.state == .starting)
    #expect(take(5, by: &machine) == 0)
    #expect(machine.takeActions().last == .tell(.started(Self.start + 5 * Self.period)))
  }

  @Test func aPausedRecordingCanBeStopped() {
    var machine = recording()
    machine.expectPause()
    machine.end(.stopped)
    #expect(machine.state == .finishing(.stopped))
    let (paused, resumed) = (machine.pause(), machine.resume())
    #expect(!paused && !resumed)
  }

  // MARK: Limits

  /// The frame that would make the movie too long is left out.
  @Test func theLongestDurationEndsTheRecording() {
    var machine = recording(RecordingLimits(duration: 3 * Self.period))
    #expect(take(1, by: &machine) == 40)
    #expect(take(2, by: &machine) == 80)
    #expect(machine.takeActions() == [])
    #expect(take(3, by: &machine) == nil)
    #expect(machine.takeActions() == [.tell(.willFinish(.maximumDuration)), .finish])
    #expect(machine.timeline.duration == 3 * Self.period)
  }

  /// A pause does not count.
  @Test func theDurationIsThatOfTheMovie() {
    var machine = recording(RecordingLimits(duration: 3 * Self.period))
    machine.expectPause()
    machine.expectResume()
    #expect(take(1000, by: &machine) == 40)
    #expect(machine.state == .recording)
  }

  /// A movie that is shorter than one frame cannot be made.
  @Test func aLimitBelowOneFrameLeavesTheFirstFrame() {
    var machine = RecordingStateMachine(limits: RecordingLimits(duration: 1))
    #expect(take(0, by: &machine) == 0)
    #expect(take(1, by: &machine) == nil)
    #expect(machine.state == .finishing(.maximumDuration))
  }

  /// A limit of the file ends the movie before the frame that would exceed it, and before those that were taken since.
  @Test(arguments: [
    (100, nil, nil), (101, nil, RecordingEnd.maximumFileSize), (10, 50, nil), (10, 49, .minimumFreeSpace),
  ])
  func sizesEndTheMovieBeforeTheFrame(fileSize: UInt64, freeSpace: UInt64?, end: RecordingEnd?) {
    var machine = recording(RecordingLimits(fileSize: 100, freeSpace: 50))
    _ = take(1, by: &machine)
    _ = take(2, by: &machine)
    let mayWrite = machine.mayWrite(after: Self.period, fileSize: fileSize, freeSpace: freeSpace)
    #expect(mayWrite == (end == nil))
    #expect(machine.state == end.map { .finishing($0) } ?? .recording)
    #expect(machine.timeline.duration == (end == nil ? 3 : 1) * Self.period)
    let mayWriteSmaller = machine.mayWrite(after: Self.period, fileSize: 1, freeSpace: nil)
    #expect(mayWriteSmaller == (end == nil), "a later frame, which may be smaller, does not follow")
  }

  /// A movie has a frame, whatever the limits are. They hold for what was taken before another end, too.
  @Test func limitsOfTheFileLeaveTheFirstFrameAndCutWhatWasTakenBeforeAnotherEnd() {
    var machine = recording(RecordingLimits(fileSize: 100, freeSpace: 50))
    let mayBegin = machine.mayWrite(after: 0, fileSize: .max, freeSpace: 0)
    machine.end(.stopped)
    let mayEnd = machine.mayWrite(after: Self.period, fileSize: 100, freeSpace: 50)
    #expect(mayBegin && mayEnd)
    #expect(machine.state == .finishing(.stopped))
    let mayExceed = machine.mayWrite(after: Self.period, fileSize: 101, freeSpace: 50)
    #expect(!mayExceed)
    #expect(machine.state == .finishing(.maximumFileSize))
  }

  @Test func aRecordingWithoutLimitsGoesOn() {
    var machine = recording()
    let mayWrite = machine.mayWrite(after: Self.period, fileSize: .max, freeSpace: 0)
    #expect(mayWrite && machine.state == .recording)
  }
}

extension RecordingStateMachine {
  fileprivate mutating func expectPause() {
    let isActive = pause()
    #expect(isActive)
  }

  fileprivate mutating func expectResume() {
    let isActive = resume()
    #expect(isActive)
  }
}
