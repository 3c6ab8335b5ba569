import CaptureCore
import Testing

@testable import FrameDelivery

/// How frames wait for one reader, and when the slot gives them to it. The suites of statuses, losses and rates share
/// the helpers of this suite.
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
