import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SyntheticCapture

/// Tests when a synthetic camera exposes its frames, and which frames it leaves out when its thread is late, as a
/// driver with a full queue does.
@Suite struct TickScheduleTests {
  /// The instant of a tick is computed from the start, so that no rounding adds up over hours, also at rates such as
  /// 30000/1001.
  @Test func instantsDoNotDrift() {
    let schedule = TickSchedule(start: 1000, rate: Rational(30, 1))
    #expect(schedule.instant(of: 0) == 1000)
    #expect(schedule.instant(of: 1) == 33_334_000)
    #expect(schedule.instant(of: 3_000_000) == 100_000_000_001_000)
    #expect(TickSchedule(start: 0, rate: Rational(30_000, 1001)).instant(of: 30_000) == 1_001_000_000_000)
  }

  /// A thread that is on time takes every tick, in order, and skips none.
  @Test func ticksThatAreTakenInTimeHaveNoGap() {
    var schedule = TickSchedule(start: 5, rate: Rational(60, 1))
    for number in 0..<1000 as Range<UInt64> {
      let tick = schedule.take(now: schedule.instant(of: number))
      #expect(tick == (number, 0))
    }
  }

  /// Up to four ticks may be due at the same time, as many as a driver has buffers; the thread takes all of them.
  @Test func aFewLateTicksAreStillTaken() {
    var schedule = TickSchedule(start: 0, rate: Rational(10, 1))
    for number in 0..<4 as Range<UInt64> { #expect(schedule.take(now: 300_000_000) == (number, 0)) }
    #expect(schedule.next == 4)
  }

  /// When more ticks are due than a driver queues, the thread takes the newest one and counts those before it as
  /// skipped.
  @Test func tooManyLateTicksAreSkippedExceptTheNewest() {
    var schedule = TickSchedule(start: 0, rate: Rational(10, 1))
    #expect(schedule.take(now: 0) == (0, 0))
    #expect(schedule.take(now: 500_000_000) == (5, 4))
    #expect(schedule.take(now: 600_000_000) == (6, 0))
  }
}

/// Tests what a fault plan decides for each frame.
@Suite struct FaultPlanTests {
  /// The plan drops the number of frames that it was told, then damages the number of frames that it was told, then
  /// delivers all further frames.
  @Test func dropsThenDamagesThenDelivers() {
    var plan = FaultPlan()
    plan.framesToDrop = 2
    plan.framesToDamage = 1
    #expect((0..<5).map { _ in plan.takeFate() } == [.dropped, .dropped, .damaged, .delivered, .delivered])
  }

  /// A frame is published at its tick plus the lateness, or at the end of the stall if that is later.
  @Test func aStallDelaysFramesMoreThanLateness() {
    var plan = FaultPlan()
    #expect(plan.publication(ofTick: 100) == 100)
    plan.lateNanoseconds = 30
    #expect(plan.publication(ofTick: 100) == 130)
    plan.stalledUntil = 500
    #expect(plan.publication(ofTick: 100) == 500)
    #expect(plan.publication(ofTick: 600) == 630)
  }
}
