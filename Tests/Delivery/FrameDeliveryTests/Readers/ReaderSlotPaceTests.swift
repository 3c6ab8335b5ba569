import CaptureCore
import Testing

@testable import FrameDelivery

/// Which frames a reader of a lower rate gets of an encoding that it shares with others.
@Suite struct ReaderSlotPaceTests {
  private typealias Slot = ReaderSlotStateMachineTests
  private typealias Machine = Slot.Machine

  /// Offers frames of an encoding that others share, for a reader of a lower rate.
  private struct PacedSource {
    static let pace = FramePace(maxRate: Rational(5, 1))
    var tally = FrameTally()
    var rate = RateTally()
    mutating func next(isDue: Bool = false) -> Machine.Offer {
      tally.add(missing: DropCounts(), startsStream: tally.received == 0)
      rate.take(isDue: isDue)
      tally.rates = [Rational(5, 1): rate]
      var offer = Slot.offer(tally.received, tally.seen(at: Self.pace))
      offer.isDue = tally.isDue(at: Self.pace)
      return offer
    }
  }

  /// What a reader gets of frames 2 to 11, of which 6 and 11 are due: the sequence, the count of dropped frames and the
  /// count of omitted frames. `take` gives an offer to the slot.
  private func given(_ machine: inout Machine, _ take: (inout Machine, Machine.Offer) -> Void) -> [[UInt64]] {
    var source = PacedSource()
    machine.offer(source.next(isDue: true))
    _ = Slot.drain(&machine)
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
    var machine = Slot.machine()
    // An encoder slower than the camera skipped the sixth frame and took the seventh, which another reader wants.
    #expect(given(&machine) { if $1.sequence != 6 { $0.offer($1) } } == [[7, 0, 5], [11, 0, 3]])
    machine = Slot.machine()
    #expect(given(&machine) { $0.offer($1) } == [[6, 0, 4], [11, 0, 4]])
  }

  /// The camera gives 30 frames a second, and the reader's rate is 10. The reader's link lets every second of these
  /// frames through, and all of them from frame 101 on.
  @Test func aRaisedRateOwesNoFrame() {
    var (machine, tally, rate) = (Slot.machine(), FrameTally(), RateTally())
    var (given, counted): ([UInt64], UInt64) = ([], 0)
    for number in UInt64(1)...106 {
      let pace = FramePace(maxRate: Rational(10, 1), every: number <= 100 ? 2 : 1)
      tally.add(missing: DropCounts(), startsStream: number == 1)
      rate.take(isDue: number % 3 == 1)
      tally.rates = [Rational(10, 1): rate]
      var offer = Slot.offer(number, tally.seen(at: pace))
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
    var machine = Slot.machine()
    let given = given(&machine) {
      if $1.sequence == 6 { $0.lose($1.tally, DropCounts(discontinuity: 1)) } else { $0.offer($1) }
    }
    #expect(given == [[11, 1, 8]])
  }
}
