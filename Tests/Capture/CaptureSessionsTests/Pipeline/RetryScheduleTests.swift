import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

@Suite struct RetryScheduleTests {
  private static let second: UInt64 = 1_000_000_000

  /// Ticks until the camera is to be started.
  private func ticks(_ schedule: inout RetrySchedule) -> Int {
    for tick in 0..<1000 where schedule.isDue(for: .deviceStalled) { return tick }
    return 1000
  }

  @Test("A12: a stalled camera is started at once, then after growing pauses") func pausesGrow() {
    var schedule = RetrySchedule()
    schedule.stalled(at: 100)
    let pauses = (0..<9).map { _ in ticks(&schedule) }
    #expect(pauses == [0, 2, 4, 8, 16, 32, 60, 60, 60])
  }

  @Test func whateverElseIsWaitedForIsTriedAtEachTick() {
    var schedule = RetrySchedule()
    for reason in [InterruptionReason.deviceDisconnected, .deviceInUse, .systemSuspend, .systemPressure] {
      let due = (0..<5).map { _ in schedule.isDue(for: reason) }
      #expect(due == Array(repeating: true, count: 5))
    }
    #expect(schedule.patience == StallPatience())
  }

  @Test("A12: a camera that stalls again at once does not flap") func aRelapseGoesOnWithThePauses() {
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
    #expect(pause == 0, "after ten good seconds all is forgotten")
    #expect(schedule.patience == StallPatience())
  }

  @Test("A12: what else happened to a camera ended its stalls") func anotherInterruptionBeginsAnew() {
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

  @Test("A12: a camera that is slower than it says runs in the end") func patienceGrows() {
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
