import CaptureCore
import Testing

@testable import FrameDelivery

/// How frames wait for one reader, and how the slot counts the frames that the reader does not get.
@Suite struct ReaderSlotStateMachineTests {
  typealias Machine = ReaderSlotStateMachine<UInt64>

  static let size = Size(width: 64, height: 36)

  static func offer(_ sequence: UInt64, _ tally: FrameTally, size: Size = size) -> Machine.Offer {
    Machine.Offer(content: sequence, sequence: sequence, size: size, tally: tally)
  }

  static func machine(
    base: FrameTally = FrameTally(), maxUnacknowledged: Int = 0, queueDepth: Int? = nil
  ) -> Machine {
    Machine(
      session: SessionStatus(.running), base: base, maxUnacknowledged: maxUnacknowledged, queueDepth: queueDepth)
  }

  /// Takes events until the slot has no more, and returns the frames with their counts of dropped frames. Statuses are
  /// left out.
  static func drain(_ machine: inout Machine) -> [(UInt64, DropCounts)] {
    var frames: [(UInt64, DropCounts)] = []
    while case .deliver(let event) = machine.next() {
      if case .frame(let sequence, let dropped, _) = event { frames.append((sequence, dropped)) }
    }
    return frames
  }

  /// Offers frames 1, 2, 3, … of one stream.
  struct Source {
    var tally = FrameTally()
    mutating func next(missing: DropCounts = DropCounts(), startsStream: Bool = false) -> Machine.Offer {
      tally.add(missing: missing, startsStream: startsStream || tally.received == 0)
      return offer(tally.received, tally)
    }
  }

  /// A reader that only waits for an event leaves the frame in the slot, so that a newer frame takes its place.
  @Test func aFrameIsReplacedUntilItIsTaken() throws {
    var machine = Self.machine(maxUnacknowledged: 1)
    var source = Source()
    var ready: [Bool] = [machine.awaitNext()]
    guard case .deliver(.status) = machine.next() else { throw Unexpected() }
    ready.append(machine.awaitNext())
    #expect(ready == [true, false], "the status waits, and then nothing")
    machine.offer(source.next())
    machine.offer(source.next())
    ready = [machine.awaitNext()]
    let frames = Self.drain(&machine).map(\.0)
    #expect(frames == [2])
    machine.offer(source.next())
    ready.append(machine.awaitNext())
    machine.acknowledge(2)
    ready.append(machine.awaitNext())
    #expect(ready == [true, false, true], "the second frame must wait for the acknowledgement of the first")
    machine.end(.detached)
    let isReady = machine.awaitNext()
    #expect(isReady)
    guard case .end = machine.next() else { throw Unexpected() }
  }

  /// A reader that asks for each frame gets no other frames, but gets every status and the end unasked.
  @Test func aReaderThatAsksGetsOnlyTheFramesItAskedFor() throws {
    var machine = Machine(session: SessionStatus(.running), base: FrameTally(), maxUnacknowledged: 0, asks: true)
    var source = Source()
    guard case .deliver(.status) = machine.next() else { throw Unexpected() }
    machine.offer(source.next())
    guard case .wait = machine.next() else { throw Unexpected() }
    machine.update(session: SessionStatus(.stopping))
    guard case .deliver(.status) = machine.next(), case .wait = machine.next() else { throw Unexpected() }
    machine.allow(1)
    guard case .deliver(.status) = machine.next(), case .deliver(.frame(1, _, _)) = machine.next() else {
      throw Unexpected()
    }
    machine.offer(source.next())
    guard case .wait = machine.next() else { throw Unexpected() }
    machine.end(.detached)
    guard case .end = machine.next() else { throw Unexpected() }
  }

  /// Offers frames of an encoding that others share, for a reader of a lower rate.
  struct PacedSource {
    static let pace = FramePace(maxRate: Rational(5, 1))
    var tally = FrameTally()
    var rate = RateTally()
    mutating func next(isDue: Bool = false) -> Machine.Offer {
      tally.add(missing: DropCounts(), startsStream: tally.received == 0)
      rate.take(isDue: isDue)
      tally.rates = [Rational(5, 1): rate]
      var offer = offer(tally.received, tally.seen(at: Self.pace))
      offer.isDue = tally.isDue(at: Self.pace)
      return offer
    }
  }

  /// What a reader gets of frames 2 to 11, of which 6 and 11 are due: the sequence, the count of dropped frames and the
  /// count of omitted frames. `take` gives an offer to the slot.
  private func given(_ machine: inout Machine, _ take: (inout Machine, Machine.Offer) -> Void) -> [[UInt64]] {
    var source = PacedSource()
    machine.offer(source.next(isDue: true))
    _ = Self.drain(&machine)
    var given: [[UInt64]] = []
    for sequence in UInt64(2)...11 {
      take(&machine, source.next(isDue: sequence % 5 == 1))
      while case .deliver(let event) = machine.next() {
        if case .frame(let sequence, let dropped, let omitted) = event {
          given.append([sequence, dropped.total, omitted])
        }
      }
    }
    return given
  }

  /// When a frame that was due never comes, the next frame of the encoding takes its place, although that frame is not
  /// due.
  @Test func theNextFrameReplacesADueFrameThatNeverCame() {
    var machine = Self.machine()
    // An encoder slower than the camera skipped the sixth frame and took the seventh, which another reader wants.
    #expect(given(&machine) { if $1.sequence != 6 { $0.offer($1) } } == [[7, 0, 5], [11, 0, 3]])
    machine = Self.machine()
    #expect(given(&machine) { $0.offer($1) } == [[6, 0, 4], [11, 0, 4]])
  }

  /// The camera gives 30 frames a second, and the reader's rate is 10. The reader's link lets every second of these
  /// frames through, and all of them from frame 101 on.
  @Test func aRaisedRateOwesNoFrame() {
    var (machine, tally, rate) = (Self.machine(), FrameTally(), RateTally())
    var (given, counted): ([UInt64], UInt64) = ([], 0)
    for number in UInt64(1)...106 {
      let pace = FramePace(maxRate: Rational(10, 1), every: number <= 100 ? 2 : 1)
      tally.add(missing: DropCounts(), startsStream: number == 1)
      rate.take(isDue: number % 3 == 1)
      tally.rates = [Rational(10, 1): rate]
      var offer = Self.offer(number, tally.seen(at: pace))
      offer.isDue = tally.isDue(at: pace)
      machine.offer(offer)
      while case .deliver(let event) = machine.next() {
        guard case .frame(let sequence, let dropped, let omitted) = event else { continue }
        given.append(sequence)
        counted += 1 + dropped.total + omitted
        #expect(counted == sequence)
      }
    }
    #expect(given.suffix(4) == [94, 100, 103, 106])
  }

  @Test func aDeliveredFrameIsNotCountedAsOmitted() {
    // The tallies are those of two frames that the reader's rate leaves out.
    let earlier = FrameTally(received: 100, omitted: 66)
    let later = FrameTally(received: 101, omitted: 67)
    #expect(later.omitted(since: earlier) == 0 && later.dropped(since: earlier) == DropCounts())
  }

  /// A due frame that the reader is told to be lost is not replaced by the next frame.
  @Test func aDueFrameThatIsToldAsLostIsNotReplaced() {
    var machine = Self.machine()
    let given = given(&machine) {
      if $1.sequence == 6 { $0.lose($1.tally, DropCounts(discontinuity: 1)) } else { $0.offer($1) }
    }
    #expect(given == [[11, 1, 8]])
  }

  /// A frame that waits behind n others must leave 2n frames to other readers, so that a reader that never reads keeps
  /// few frames.
  @Test func aFrameBehindOthersLeavesTwiceAsManyToOtherReaders() {
    var (machine, source) = (Self.machine(queueDepth: 2), Source())
    func offer(spare: Int) {
      var offer = source.next()
      offer.spare = spare
      machine.offer(offer)
    }
    offer(spare: -1)
    offer(spare: 0)
    offer(spare: 1)
    offer(spare: 2)
    // The queue is full, whatever room the pool has.
    offer(spare: -1)
    #expect(Self.drain(&machine).map(\.0) == [2, 4])
    offer(spare: 0)
    #expect(Self.drain(&machine).map(\.1) == [DropCounts(late: 1)])
  }

  /// The first event is a status. Another status comes when the session or the size has changed, and only the newest of
  /// several changes is told.
  @Test func statusComesFirstAndOnChange() throws {
    var (machine, source) = (Self.machine(), Source())
    guard case .deliver(.status(let first)) = machine.next() else { return #expect(Bool(false), "no status") }
    #expect(first == ReaderStatus.Report(session: SessionStatus(.running), areFramesComing: true, size: nil))
    guard case .wait = machine.next() else { return #expect(Bool(false), "nothing to send") }

    machine.offer(source.next())
    guard case .deliver(.status(let sized)) = machine.next() else { return #expect(Bool(false), "no size") }
    #expect(sized.size == Self.size)
    guard case .deliver(.frame(1, _, _)) = machine.next() else { return #expect(Bool(false), "no frame") }

    machine.update(session: SessionStatus(.stopping))
    machine.update(session: SessionStatus(.stopped))
    guard case .deliver(.status(let newest)) = machine.next() else { return #expect(Bool(false), "no change") }
    #expect(newest.session == SessionStatus(.stopped))
    machine.update(session: SessionStatus(.stopped))
    guard case .wait = machine.next() else { return #expect(Bool(false), "the same status twice") }
  }

  @Test func aNewSizeIsToldBeforeItsFrame() {
    var (machine, source) = (Self.machine(), Source())
    machine.offer(source.next())
    _ = Self.drain(&machine)
    source.tally.add(missing: DropCounts(), startsStream: false)
    let small = Size(width: 32, height: 18)
    machine.offer(Self.offer(2, source.tally, size: small))
    guard case .deliver(.status(let status)) = machine.next() else { return #expect(Bool(false), "no status") }
    #expect(status.size == small)
    guard case .deliver(.frame(2, _, _)) = machine.next() else { return #expect(Bool(false), "no frame") }
  }

  /// A status first describes the frame that still waits. The picture that is expected after that frame is told when
  /// the frame has left.
  @Test func theExpectedPictureIsToldAfterTheWaitingFrame() {
    var (machine, source) = (Self.machine(maxUnacknowledged: 1), Source())
    machine.offer(source.next())
    _ = Self.drain(&machine)
    machine.offer(source.next())
    machine.update(session: SessionStatus(.stopped))
    machine.expect(ExpectedPicture(size: Size(width: 16, height: 9), quality: 40))
    let small = Size(width: 32, height: 18)
    machine.expect(ExpectedPicture(size: small, quality: 50))
    guard case .deliver(.status(let stopped)) = machine.next() else { return #expect(Bool(false), "no status") }
    #expect(stopped.size == Self.size, "the size of the frame that is still to come")
    machine.acknowledge(1)
    guard case .deliver(.frame(2, _, _)) = machine.next() else { return #expect(Bool(false), "no frame") }
    guard case .deliver(.status(let told)) = machine.next() else { return #expect(Bool(false), "no status") }
    #expect(told.size == small && told.quality == 50)
    guard case .wait = machine.next() else { return #expect(Bool(false), "told twice") }
  }

  /// An expectation is not told when another frame has come since.
  @Test func anExpectationIsNotToldOnceFramesCome() {
    var (machine, source) = (Self.machine(maxUnacknowledged: 1), Source())
    machine.offer(source.next())
    _ = Self.drain(&machine)
    machine.offer(source.next())
    machine.expect(nil)
    machine.offer(source.next())
    machine.acknowledge(1)
    guard case .deliver(.frame(3, _, _)) = machine.next() else { return #expect(Bool(false), "no frame") }
    guard case .wait = machine.next() else { return #expect(Bool(false), "one status too many") }
  }

  /// Without a queue, a frame that waits is replaced by the next one.
  @Test func theNewestWinsAndTheRestIsLate() {
    var (machine, source) = (Self.machine(), Source())
    for _ in 0..<5 { machine.offer(source.next()) }
    let frames = Self.drain(&machine)
    #expect(frames.map(\.0) == [5])
    #expect(frames[0].1 == DropCounts(late: 4))
    machine.offer(source.next())
    #expect(Self.drain(&machine).map(\.1) == [DropCounts()])
  }

  /// A full queue drops new frames, which count with the next frame that finds room.
  @Test func aQueueKeepsTheOldestAndTheRestIsLate() {
    var (machine, source) = (Self.machine(queueDepth: 3), Source())
    for _ in 0..<5 { machine.offer(source.next()) }
    let frames = Self.drain(&machine)
    #expect(frames.map(\.0) == [1, 2, 3])
    #expect(frames.map(\.1) == [DropCounts(), DropCounts(), DropCounts()])
    machine.offer(source.next(missing: DropCounts(discontinuity: 1)))
    #expect(Self.drain(&machine).map(\.1) == [DropCounts(late: 2, discontinuity: 1)])
  }

  @Test func aQueueTellsEachLossWithTheFrameAfterIt() {
    var (machine, source) = (Self.machine(queueDepth: 3), Source())
    machine.offer(source.next())
    machine.lose(source.next().tally, DropCounts(outOfBuffers: 1))
    machine.offer(source.next())
    machine.lose(source.next().tally, DropCounts(discontinuity: 1))
    machine.offer(source.next())
    #expect(
      Self.drain(&machine).map(\.1) == [DropCounts(), DropCounts(outOfBuffers: 1), DropCounts(discontinuity: 1)])
  }

  /// The frames of a queue leave only as fast as the reader acknowledges them.
  @Test func aQueueWaitsForAcknowledgements() {
    var (machine, source) = (Self.machine(maxUnacknowledged: 1, queueDepth: 2), Source())
    for _ in 0..<3 { machine.offer(source.next()) }
    #expect(Self.drain(&machine).map(\.0) == [1])
    #expect(Self.drain(&machine).isEmpty)
    machine.acknowledge(1)
    #expect(Self.drain(&machine).map(\.0) == [2])
    machine.acknowledge(2)
    machine.offer(source.next())
    #expect(Self.drain(&machine).map(\.1) == [DropCounts(late: 1)])
  }

  /// When an encoder skips a frame, the frames that are missing before the skipped frame count too.
  @Test func gapsOfSkippedFramesCount() {
    var (machine, source) = (Self.machine(), Source())
    machine.offer(source.next())
    _ = Self.drain(&machine)
    // The encoder skips the first of these frames. The reader never sees that frame, but its gap counts all the same.
    _ = source.next(missing: DropCounts(discontinuity: 3))
    machine.offer(source.next(missing: DropCounts(outOfBuffers: 2)))
    #expect(Self.drain(&machine).map(\.1) == [DropCounts(late: 1, outOfBuffers: 2, discontinuity: 3)])
  }

  /// A reader that gets a frame of another stream than before is told of one discontinuity.
  @Test func aNewStreamIsOneDiscontinuity() {
    var (machine, source) = (Self.machine(), Source())
    machine.offer(source.next())
    #expect(Self.drain(&machine).map(\.1) == [DropCounts()])
    machine.offer(source.next(startsStream: true))
    #expect(Self.drain(&machine).map(\.1) == [DropCounts(discontinuity: 1)])
  }

  @Test func framesBeforeTheReaderCameAreNotDropped() {
    var source = Source()
    for _ in 0..<10 { _ = source.next(missing: DropCounts(discontinuity: 1)) }
    var machine = Self.machine(base: source.tally)
    // The reader gets the newest frame when it comes, misses the frame after that one, and gets the next.
    machine.offer(Self.offer(10, source.tally))
    #expect(Self.drain(&machine).map(\.1) == [DropCounts()])
    _ = source.next()
    machine.offer(source.next())
    #expect(Self.drain(&machine).map(\.1) == [DropCounts(late: 1)])
  }

  /// Two ways to the same reader cannot turn time back: the slot ignores a frame that is not newer than the last one.
  @Test func olderFramesAreIgnored() {
    var (machine, source) = (Self.machine(), Source())
    let (first, second) = (source.next(), source.next())
    machine.offer(second)
    machine.offer(first)
    machine.offer(second)
    #expect(Self.drain(&machine).map(\.0) == [2])
    machine.offer(second)
    #expect(Self.drain(&machine).isEmpty)
  }

  /// A loss counts with the first frame after it.
  @Test func lostFramesAreCountedByTheirCause() {
    var (machine, source) = (Self.machine(), Source())
    machine.lose(source.next().tally, DropCounts(outOfBuffers: 1))
    machine.offer(source.next())
    // This frame is lost after the waiting frame and counts with the next one.
    machine.lose(source.next().tally, DropCounts(discontinuity: 1))
    #expect(Self.drain(&machine).map(\.1) == [DropCounts(outOfBuffers: 1)])
    machine.offer(source.next())
    #expect(Self.drain(&machine).map(\.1) == [DropCounts(discontinuity: 1)])
  }

  @Test func causesAddUpOverReplacedFrames() {
    var (machine, source) = (Self.machine(), Source())
    for cause in [DropCounts(outOfBuffers: 1), DropCounts(discontinuity: 1)] {
      machine.lose(source.next().tally, cause)
      machine.offer(source.next())
    }
    #expect(Self.drain(&machine).map(\.1) == [DropCounts(late: 1, outOfBuffers: 1, discontinuity: 1)])
  }

  /// The slot sends no frame while the reader has not acknowledged as many as its limit. Sequences that were never sent
  /// or are acknowledged already change nothing.
  @Test func acknowledgementsBoundTheFramesOnTheWay() {
    var (machine, source) = (Self.machine(maxUnacknowledged: 2), Source())
    machine.offer(source.next())
    #expect(Self.drain(&machine).count == 1)
    machine.offer(source.next())
    #expect(Self.drain(&machine).count == 1)
    machine.offer(source.next())
    #expect(Self.drain(&machine).isEmpty)
    machine.offer(source.next())
    machine.acknowledge(99)
    #expect(Self.drain(&machine).isEmpty)
    machine.acknowledge(1)
    #expect(Self.drain(&machine).map(\.0) == [4])
    machine.offer(source.next())
    machine.acknowledge(1)
    #expect(Self.drain(&machine).isEmpty)
    // One acknowledgement counts for both frames on the way.
    machine.acknowledge(4)
    #expect(Self.drain(&machine).map(\.0) == [5])
  }

  /// When frames of two streams on the way have the same sequence, an acknowledgement counts for the older frame.
  @Test func aSharedSequenceAcknowledgesTheOlderFrame() {
    var (machine, source) = (Self.machine(maxUnacknowledged: 2), Source())
    for startsStream in [false, true] {
      var offer = source.next(startsStream: startsStream)
      offer.sequence = 7
      machine.offer(offer)
      #expect(Self.drain(&machine).count == 1)
    }
    machine.acknowledge(7)
    machine.offer(source.next())
    #expect(Self.drain(&machine).count == 1)
    machine.offer(source.next())
    #expect(Self.drain(&machine).isEmpty)
  }

  /// The first end counts: it drops the frames that wait, and neither another end nor another frame changes anything.
  @Test func anEndDropsWaitingFramesAndIsFinal() {
    var (machine, source) = (Self.machine(), Source())
    machine.offer(source.next())
    machine.end(.closed(CaptureError(.outputRemoved, "gone")))
    machine.end(.detached)
    machine.offer(source.next())
    for _ in 0..<2 {
      guard case .end(.closed(let error)) = machine.next() else { return #expect(Bool(false), "not ended") }
      #expect(error.reason == .outputRemoved)
    }
  }
}
