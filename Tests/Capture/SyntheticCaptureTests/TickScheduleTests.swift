import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SyntheticCapture

@Suite struct TickScheduleTests {
  @Test func instantsDoNotDrift() {
    let schedule = TickSchedule(start: 1000, rate: Rational(30, 1))
    #expect(schedule.instant(of: 0) == 1000)
    #expect(schedule.instant(of: 1) == .epoch + 1000 + 33_333_333)
    #expect(schedule.instant(of: 3_000_000) == .epoch + 1000 + 100_000 * 1_000_000_000)
    #expect(TickSchedule(start: 0, rate: Rational(30_000, 1001)).instant(of: 30_000) == 1_001_000_000_000)
  }

  @Test func everyTickIsTakenOnce() {
    var schedule = TickSchedule(start: 5, rate: Rational(60, 1))
    for number in 0..<1000 as Range<UInt64> {
      let tick = schedule.take(now: schedule.instant(of: number))
      #expect(tick == (number, 0))
    }
  }

  @Test func aFewLateTicksAreStillTaken() {
    var schedule = TickSchedule(start: 0, rate: Rational(10, 1))
    for number in 0..<4 as Range<UInt64> { #expect(schedule.take(now: 300_000_000) == (number, 0)) }
    #expect(schedule.next == 4)
  }

  @Test func manyLateTicksAreSkippedButTheNewest() {
    var schedule = TickSchedule(start: 0, rate: Rational(10, 1))
    #expect(schedule.take(now: 0) == (0, 0))
    #expect(schedule.take(now: 500_000_000) == (5, 4))
    #expect(schedule.take(now: 600_000_000) == (6, 0))
  }
}

@Suite struct FaultPlanTests {
  @Test func dropsThenDamagesThenDelivers() {
    var plan = FaultPlan()
    plan.framesToDrop = 2
    plan.framesToDamage = 1
    #expect((0..<5).map { _ in plan.takeFate() } == [.dropped, .dropped, .damaged, .delivered, .delivered])
  }

  @Test func aStallOutlastsLateness() {
    var plan = FaultPlan()
    #expect(plan.publication(ofTick: 100) == 100)
    plan.lateNanoseconds = 30
    #expect(plan.publication(ofTick: 100) == 130)
    plan.stalledUntil = 500
    #expect(plan.publication(ofTick: 100) == 500)
    #expect(plan.publication(ofTick: 600) == 630)
  }
}
