import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests when an interrupted session tries its camera again. The pauses grow, because each start of a stalled camera
/// costs the bus and the driver seconds.
@Suite struct RetryScheduleTests {
  private static let second: UInt64 = 1_000_000_000

  /// The number of ticks before the stalled camera is started; 1000 when it is not started in 1000 ticks.
  private func ticks(_ schedule: inout RetrySchedule) -> Int {
    for tick in 0..<1000 where schedule.isDue(for: .deviceStalled) { return tick }
    return 1000
  }

  /// The first start comes at once. The pauses before further starts grow up to 60 ticks, which are 30 seconds, and the
  /// last pause repeats forever.
  @Test("A12: a stalled camera is started at once, then after growing pauses") func pausesGrow() {
    var schedule = RetrySchedule()
    schedule.stalled(at: 100)
    let pauses = (0..<9).map { _ in ticks(&schedule) }
    #expect(pauses == [0, 2, 4, 8, 16, 32, 60, 60, 60])
  }

  /// A look for the signal is cheap, so it comes every two seconds, and a start for frames then comes soon.
  @Test("field B1: a signal is looked for every two seconds") func aSignalIsLookedForAgain() {
    var schedule = RetrySchedule()
    schedule.stalled(at: 100)
    for pause in [0, 4, 4, 4] {
      #expect(ticks(&schedule) == pause)
      schedule.foundNoSignal()
    }
    #expect(ticks(&schedule) == 4)
    #expect(ticks(&schedule) == 2, "there is a signal, and the camera still brings no frames")
  }

  /// After any interruption other than a stall, the session tries at every tick, so that it notices a returned camera
  /// at once.
  @Test func otherInterruptionsAreRetriedAtEachTick() {
    var schedule = RetrySchedule()
    for reason in [InterruptionReason.deviceDisconnected, .deviceInUse, .systemSuspend, .systemPressure] {
      let due = (0..<5).map { _ in schedule.isDue(for: reason) }
      #expect(due == Array(repeating: true, count: 5))
    }
    #expect(schedule.patience == StallPatience())
  }

  /// A camera that delivers only for seconds between stalls does not get short pauses again. After ten seconds of
  /// frames, its stalls no longer count.
  @Test("A12: a camera that stalls again soon continues with the growing pauses")
  func aStallSoonAfterAnotherContinuesThePauses() {
    var schedule = RetrySchedule()
    var now = MonotonicInstant(nanoseconds: 100 * Self.second)
    var pauses: [Int] = []
    for _ in 0..<5 {
      schedule.stalled(at: now)
      pauses.append(ticks(&schedule))
      schedule.delivers(at: now + Self.second)
      now = now + 3 * Self.second
    }
    #expect(pauses == [0, 2, 4, 8, 16])
    schedule.stalled(at: now - 2 * Self.second + RetrySchedule.healthy)
    let pause = ticks(&schedule)
    #expect(pause == 0, "after ten seconds of frames, former stalls do not count")
    #expect(schedule.patience == StallPatience())
  }

  /// A camera that was unplugged, in use or asleep has a clean record afterwards. The end or the beginning of a stall
  /// resets nothing.
  @Test("A12: an interruption other than a stall resets the schedule") func anotherInterruptionResetsTheSchedule() {
    func worn() -> RetrySchedule {
      var schedule = RetrySchedule()
      schedule.stalled(at: 0)
      for _ in 0..<6 { _ = ticks(&schedule) }
      return schedule
    }
    for other in [InterruptionReason.deviceDisconnected, .deviceInUse, .systemSuspend, .systemPressure] {
      var (began, ended) = (worn(), worn())
      began.interruptionChanged(from: .deviceStalled, to: other)
      #expect(began == RetrySchedule())
      ended.interruptionChanged(from: other, to: nil)
      #expect(ended == RetrySchedule())
    }
    for (former, reason) in [(.deviceStalled, nil), (nil, .deviceStalled), (nil, nil)]
      as [(InterruptionReason?, InterruptionReason?)]
    {
      var schedule = worn()
      schedule.interruptionChanged(from: former, to: reason)
      #expect(schedule == worn(), "\(String(describing: former)) to \(String(describing: reason))")
    }
  }

  /// Each further start allows twice the time between frames, up to 16 seconds, and up to 20 seconds for the first
  /// frame. A camera that is slower than its confirmed rate then delivers in time.
  @Test("A12: the patience for frames grows, so that a slow camera runs in the end") func patienceGrows() {
    var schedule = RetrySchedule()
    var patience: [UInt64] = []
    for _ in 0..<100 {
      schedule.stalled(at: 0)
      _ = ticks(&schedule)
      patience.append(schedule.patience.betweenFrames / Self.second)
      #expect(schedule.patience.firstFrame <= 20 * Self.second)
    }
    #expect(patience == [1, 2, 4, 8] + Array(repeating: 16, count: 96))
  }
}
