import CaptureCore
import Testing

@testable import FrameDelivery

/// How a slot counts the frames that its reader does not get.
@Suite struct ReaderSlotLossTests {
  private typealias Slot = ReaderSlotStateMachineTests

  /// Without a queue, a frame that waits is replaced by the next one.
  @Test func theNewestWinsAndTheRestIsLate() {
    var (machine, source) = (Slot.machine(), Slot.Source())
    for _ in 0..<5 { machine.offer(source.next()) }
    let frames = Slot.drain(&machine)
    #expect(frames.map(\.0) == [5])
    #expect(frames[0].1 == DropCounts(late: 4))
    machine.offer(source.next())
    #expect(Slot.drain(&machine).map(\.1) == [DropCounts()])
  }

  /// A full queue drops new frames, which count with the next frame that finds room.
  @Test func aQueueKeepsTheOldestAndTheRestIsLate() {
    var (machine, source) = (Slot.machine(queueDepth: 3), Slot.Source())
    for _ in 0..<5 { machine.offer(source.next()) }
    let frames = Slot.drain(&machine)
    #expect(frames.map(\.0) == [1, 2, 3])
    #expect(frames.map(\.1) == [DropCounts(), DropCounts(), DropCounts()])
    machine.offer(source.next(missing: DropCounts(discontinuity: 1)))
    #expect(Slot.drain(&machine).map(\.1) == [DropCounts(late: 2, discontinuity: 1)])
  }

  @Test func aQueueTellsEachLossWithTheFrameAfterIt() {
    var (machine, source) = (Slot.machine(queueDepth: 3), Slot.Source())
    machine.offer(source.next())
    machine.lose(source.next().tally, DropCounts(outOfBuffers: 1))
    machine.offer(source.next())
    machine.lose(source.next().tally, DropCounts(discontinuity: 1))
    machine.offer(source.next())
    #expect(
      Slot.drain(&machine).map(\.1) == [DropCounts(), DropCounts(outOfBuffers: 1), DropCounts(discontinuity: 1)])
  }

  /// When an encoder skips a frame, the frames that are missing before the skipped frame count too.
  @Test func gapsOfSkippedFramesCount() {
    var (machine, source) = (Slot.machine(), Slot.Source())
    machine.offer(source.next())
    _ = Slot.drain(&machine)
    // The encoder skips the first of these frames. The reader never sees that frame, but its gap counts all the same.
    _ = source.next(missing: DropCounts(discontinuity: 3))
    machine.offer(source.next(missing: DropCounts(outOfBuffers: 2)))
    #expect(Slot.drain(&machine).map(\.1) == [DropCounts(late: 1, outOfBuffers: 2, discontinuity: 3)])
  }

  /// A reader that gets a frame of another stream than before is told of one discontinuity.
  @Test func aNewStreamIsOneDiscontinuity() {
    var (machine, source) = (Slot.machine(), Slot.Source())
    machine.offer(source.next())
    #expect(Slot.drain(&machine).map(\.1) == [DropCounts()])
    machine.offer(source.next(startsStream: true))
    #expect(Slot.drain(&machine).map(\.1) == [DropCounts(discontinuity: 1)])
  }

  @Test func framesBeforeTheReaderCameAreNotDropped() {
    var source = Slot.Source()
    for _ in 0..<10 { _ = source.next(missing: DropCounts(discontinuity: 1)) }
    var machine = Slot.machine(base: source.tally)
    // The reader gets the newest frame when it comes, misses the frame after that one, and gets the next.
    machine.offer(Slot.offer(10, source.tally))
    #expect(Slot.drain(&machine).map(\.1) == [DropCounts()])
    _ = source.next()
    machine.offer(source.next())
    #expect(Slot.drain(&machine).map(\.1) == [DropCounts(late: 1)])
  }

  /// A loss counts with the first frame after it.
  @Test func lostFramesAreCountedByTheirCause() {
    var (machine, source) = (Slot.machine(), Slot.Source())
    machine.lose(source.next().tally, DropCounts(outOfBuffers: 1))
    machine.offer(source.next())
    // This frame is lost after the waiting frame and counts with the next one.
    machine.lose(source.next().tally, DropCounts(discontinuity: 1))
    #expect(Slot.drain(&machine).map(\.1) == [DropCounts(outOfBuffers: 1)])
    machine.offer(source.next())
    #expect(Slot.drain(&machine).map(\.1) == [DropCounts(discontinuity: 1)])
  }

  @Test func causesAddUpOverReplacedFrames() {
    var (machine, source) = (Slot.machine(), Slot.Source())
    for cause in [DropCounts(outOfBuffers: 1), DropCounts(discontinuity: 1)] {
      machine.lose(source.next().tally, cause)
      machine.offer(source.next())
    }
    #expect(Slot.drain(&machine).map(\.1) == [DropCounts(late: 1, outOfBuffers: 1, discontinuity: 1)])
  }
}
