import CaptureCore
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// The values by which a continuous recording decides.
struct ContinuousValueTests {
  @Test func aPartBeginsWhenItsTimeHasCome() {
    var cuts = MovieCuts(every: 100)
    #expect(cuts.isDue(at: 7, lasting: 10))
    cuts.begin(at: 7)
    #expect(!cuts.isDue(at: 101, lasting: 10))
    // The time stamps of a steady rate vary a little.
    #expect(cuts.isDue(at: 102, lasting: 10))
    var uncut = MovieCuts(every: nil)
    #expect(uncut.isDue(at: 0, lasting: 10))
    uncut.begin(at: 0)
    #expect(!uncut.isDue(at: .max, lasting: 0))
  }

  @Test func lostFramesBelongToTheSegmentOfTheirTime() {
    var ledger = DropLedger()
    ledger.add(DropCounts(late: 1), at: 5)
    ledger.add(DropCounts(damaged: 2), at: 10)
    ledger.add(DropCounts(late: 3), at: 9)
    #expect(ledger.take(before: 10) == DropCounts(late: 4))
    #expect(ledger.take(before: 10) == DropCounts())
    #expect(ledger.take(before: nil) == DropCounts(damaged: 2))
  }

  @Test func theLedgerIsBounded() {
    var ledger = DropLedger()
    for time in 0..<(2 * DropLedger.capacity) { ledger.add(DropCounts(late: 1), at: UInt64(time)) }
    #expect(ledger.take(before: 10) == DropCounts(late: 10))
    #expect(ledger.take(before: nil).late == UInt64(2 * DropLedger.capacity - 10))
  }

  @Test func failuresInARowAreTriedEverMoreRarely() {
    let (start, second) = (MonotonicInstant(nanoseconds: 5), UInt64(1_000_000_000))
    var retry = RetryDelay()
    #expect(retry.allowsStart(at: start) == true)
    for delay in [1, 2, 4, 8, 16, 32, 32, 32] as [UInt64] {
      #expect(retry.noteFailure() == (delay == 1))
      #expect(retry.delay == delay * second)
      #expect(retry.allowsStart(at: start) == false)
      #expect(retry.allowsStart(at: start + (delay * second - 1)) == false)
      #expect(retry.allowsStart(at: start + delay * second) == true)
      #expect(retry.allowsStart(at: start) == true, "once is enough")
    }
    #expect(retry.noteSuccess() == 8)
    #expect(retry.noteSuccess() == 0)
    #expect(retry.noteFailure() == true)
    #expect(retry.allowsStart(at: start) == false)
    #expect(retry.allowsStart(at: start + second) == true)
    #expect(retry.noteFailure() == false)
    retry.endDelay()
    #expect(retry.allowsStart(at: start) == true)
    // A recording that a client began in spite of the delay may succeed before the delay is over.
    #expect(retry.noteFailure() == false)
    #expect(retry.noteSuccess() == 3)
    #expect(retry.allowsStart(at: start) == true)
  }

  @Test func theRunsOfASessionAreBounded() {
    let slots = RunSlots()
    #expect(slots.take() && slots.take())
    #expect(!slots.take())
    slots.giveBack()
    #expect(slots.take())
    #expect(!slots.take())
  }

  @Test func aContainerThatDoesNotHoldTheCodecIsReplaced() {
    let settings = ContinuousSettings(segmentDuration: 1, container: .mpegTS, fragmentInterval: 2)
    var output = RecordingSettings(limits: RecordingLimits(duration: 1))
    #expect(settings.applied(to: output).container == .mpegTS)
    #expect(settings.applied(to: output).fragmentInterval == 1)
    #expect(settings.applied(to: output).limits == RecordingLimits())
    output.pictures.codec = .ffv1
    #expect(settings.applied(to: output).container == .matroska)
  }
}
