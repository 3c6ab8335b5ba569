import CaptureCore
import Testing

@testable import FrameDelivery

/// What status a slot tells its reader, and when.
@Suite struct ReaderSlotStatusTests {
  private typealias Slot = ReaderSlotStateMachineTests

  /// The first event is a status. Another status comes when the session or the size has changed, and only the newest of
  /// several changes is told.
  @Test func statusComesFirstAndOnChange() throws {
    var (machine, source) = (Slot.machine(), Slot.Source())
    guard case .deliver(.status(let first)) = machine.next() else { return #expect(Bool(false), "no status") }
    #expect(first == ReaderStatus.Report(session: SessionStatus(.running), areFramesComing: true, size: nil))
    guard case .wait = machine.next() else { return #expect(Bool(false), "nothing to send") }

    machine.offer(source.next())
    guard case .deliver(.status(let sized)) = machine.next() else { return #expect(Bool(false), "no size") }
    #expect(sized.size == Slot.size)
    guard case .deliver(.frame(1, _, _)) = machine.next() else { return #expect(Bool(false), "no frame") }

    machine.update(session: SessionStatus(.stopping))
    machine.update(session: SessionStatus(.stopped))
    guard case .deliver(.status(let newest)) = machine.next() else { return #expect(Bool(false), "no change") }
    #expect(newest.session == SessionStatus(.stopped))
    machine.update(session: SessionStatus(.stopped))
    guard case .wait = machine.next() else { return #expect(Bool(false), "the same status twice") }
  }

  @Test func aNewSizeIsToldBeforeItsFrame() {
    var (machine, source) = (Slot.machine(), Slot.Source())
    machine.offer(source.next())
    _ = Slot.drain(&machine)
    source.tally.add(missing: DropCounts(), startsStream: false)
    let small = Size(width: 32, height: 18)
    machine.offer(Slot.offer(2, source.tally, size: small))
    guard case .deliver(.status(let status)) = machine.next() else { return #expect(Bool(false), "no status") }
    #expect(status.size == small)
    guard case .deliver(.frame(2, _, _)) = machine.next() else { return #expect(Bool(false), "no frame") }
  }

  /// A status first describes the frame that still waits. The picture that is expected after that frame is told when
  /// the frame has left.
  @Test func theExpectedPictureIsToldAfterTheWaitingFrame() {
    var (machine, source) = (Slot.machine(maxUnacknowledged: 1), Slot.Source())
    machine.offer(source.next())
    _ = Slot.drain(&machine)
    machine.offer(source.next())
    machine.update(session: SessionStatus(.stopped))
    machine.expect(ExpectedPicture(size: Size(width: 16, height: 9), quality: 40))
    let small = Size(width: 32, height: 18)
    machine.expect(ExpectedPicture(size: small, quality: 50))
    guard case .deliver(.status(let stopped)) = machine.next() else { return #expect(Bool(false), "no status") }
    #expect(stopped.size == Slot.size, "the size of the frame that is still to come")
    machine.acknowledge(1)
    guard case .deliver(.frame(2, _, _)) = machine.next() else { return #expect(Bool(false), "no frame") }
    guard case .deliver(.status(let told)) = machine.next() else { return #expect(Bool(false), "no status") }
    #expect(told.size == small && told.quality == 50)
    guard case .wait = machine.next() else { return #expect(Bool(false), "told twice") }
  }

  /// An expectation is not told when another frame has come since.
  @Test func anExpectationIsNotToldOnceFramesCome() {
    var (machine, source) = (Slot.machine(maxUnacknowledged: 1), Slot.Source())
    machine.offer(source.next())
    _ = Slot.drain(&machine)
    machine.offer(source.next())
    machine.expect(nil)
    machine.offer(source.next())
    machine.acknowledge(1)
    guard case .deliver(.frame(3, _, _)) = machine.next() else { return #expect(Bool(false), "no frame") }
    guard case .wait = machine.next() else { return #expect(Bool(false), "one status too many") }
  }
}
