import Testing

@testable import AudioCapture

/// When the daemon looks for microphones although nothing tells of a change.
@Suite struct ProbeScheduleTests {
  private var schedule = ProbeSchedule()

  private mutating func pauses(_ count: Int, isBusy: Bool = false, hasFailure: Bool = false) -> [Int32?] {
    (0..<count).map { _ in schedule.pause(isWaiting: isBusy, hasFailure: hasFailure, afterProbe: true) }
  }

  /// Without a reason the thread waits for an event, so that idle microphones cost nothing.
  @Test mutating func withoutAReasonThereIsNoProbe() {
    let found = pauses(2)
    #expect(found == [nil, nil])
  }

  /// A busy input is asked each second, however long it stays busy.
  @Test mutating func aBusyInputIsAskedEachSecond() {
    let found = pauses(3, isBusy: true)
    #expect(found == [1000, 1000, 1000])
  }

  /// An input that fails is asked more and more seldom, and soon again after an event.
  @Test mutating func aFailedInputIsAskedMoreAndMoreSeldom() {
    let first = schedule.pause(isWaiting: false, hasFailure: true, afterProbe: false)
    #expect(first == 1000)
    let later = pauses(7, hasFailure: true)
    #expect(later == [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    let afterEvent = schedule.pause(isWaiting: false, hasFailure: true, afterProbe: false)
    #expect(afterEvent == 1000)
  }

  /// While another input is busy, the thread looks each second, and asks the failed one as seldom as without it.
  @Test mutating func aBusyInputDoesNotLetAFailedOneBeAskedMoreOften() {
    _ = schedule.pause(isWaiting: true, hasFailure: true, afterProbe: false)
    var asked: [Int] = []
    for second in 1...20 {
      if schedule.asksFailed { asked.append(second) }
      let pause = schedule.pause(isWaiting: true, hasFailure: true, afterProbe: true)
      #expect(pause == 1000)
    }
    #expect(asked == [1, 3, 7, 15])
  }
}
