import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

/// Sessions that are themselves the pressure: with steps of the ladder tasks wait less, without them they wait again.
struct ClosedLoopTests {
  /// One machine, read as the monitor reads it.
  private struct Machine {
    var model = PressureModel()
    var random: SeededGenerator
    /// Nanoseconds.
    var now: MonotonicInstant = 0
    /// The kernel's average over 10 s, percent.
    var average = 0.0
    var level = PressureLevel.nominal
    var isShed = false
    var swings = 0
    /// When load was taken off and given back, seconds.
    var changes: [Double] = []

    /// Runs on for so long, with the share of time that tasks wait at full load and with load taken off.
    mutating func run(seconds: Double, waiting: (full: Double, shed: Double)) {
      let end = now + UInt64(seconds * 1e9)
      while now < end {
        let interval = model.isWarm ? 0.9 : 2.0
        now = now + UInt64(interval * 1e9)
        let share = (isShed ? waiting.shed : waiting.full) + Double.random(in: -2...2, using: &random)
        average += (min(max(share, 0), 100) - average) * min(1, interval / 10)
        let stall = ResourceStall(.cpu, .host, someCentipercent: Int(average * 100), fullCentipercent: 0)
        let state = model.update(PressureReadings(stalls: [stall]), now: now, wallTime: 0)
        level = state.level
        let sheds = !AdaptationLadder.standard.demands(of: state).machine.steps.isEmpty
        if sheds != isShed { changes.append(Double(now.nanoseconds) / 1e9) }
        if sheds && !isShed { swings += 1 }
        isShed = sheds
      }
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func loadThatIsItselfThePressureSwingsRarely(seed: UInt64) {
    var machine = Machine(random: SeededGenerator(seed: seed))
    machine.run(seconds: 3600, waiting: (full: 99, shed: 25))
    // Seven times until the longest hold is reached, then less than once in 5 min. With 3 s each it would be a hundred.
    #expect((5...18).contains(machine.swings), "\(machine.swings) swings in an hour")
    let before = machine.swings
    machine.run(seconds: 3600, waiting: (full: 99, shed: 25))
    #expect(machine.swings - before <= 12, "\(machine.swings - before) swings in the second hour")
  }

  @Test func pressureOfOthersIsHeldWhileItLasts() {
    var machine = Machine(random: SeededGenerator(seed: 7))
    machine.run(seconds: 3600, waiting: (full: 99, shed: 99))
    #expect(machine.swings == 1 && machine.level == .serious)
  }

  /// Held for longer each time, the level would stay for good, though the machine is idle most of the time.
  @Test func workOfOthersEveryFewMinutesIsNotHeldInBetween() {
    var machine = Machine(random: SeededGenerator(seed: 17))
    for round in 0..<30 {
      machine.run(seconds: 60, waiting: (full: 99, shed: 99))
      #expect(machine.level == .serious, "round \(round)")
      machine.run(seconds: 180, waiting: (full: 10, shed: 10))
      #expect(machine.level == .nominal && !machine.isShed, "round \(round)")
    }
  }

  @Test func aLongHoldEndsWhereOthersWorkComesInItsMidst() {
    var machine = Machine(random: SeededGenerator(seed: 19))
    machine.run(seconds: 3600, waiting: (full: 99, shed: 25))
    for round in 0..<10 {
      machine.run(seconds: 60, waiting: (full: 99, shed: 99))
      machine.run(seconds: 180, waiting: (full: 10, shed: 10))
      #expect(round == 0 || machine.level == .nominal, "round \(round)")
    }
  }

  @Test func whenTheLoadIsGoneTheLevelFallsWithinFiveMinutesAndStaysDown() {
    var machine = Machine(random: SeededGenerator(seed: 11))
    machine.run(seconds: 3600, waiting: (full: 99, shed: 25))
    let swings = machine.swings
    machine.run(seconds: 360, waiting: (full: 20, shed: 10))
    #expect(machine.level == .nominal && !machine.isShed)
    #expect(machine.swings == swings)
  }

  @Test func aLongCalmStartsAgainAtThreeSeconds() throws {
    var machine = Machine(random: SeededGenerator(seed: 13))
    machine.run(seconds: 3600, waiting: (full: 99, shed: 25))
    machine.run(seconds: 300 + 660, waiting: (full: 20, shed: 10))
    let (before, start) = (machine.changes.count, Double(machine.now.nanoseconds) / 1e9)
    machine.run(seconds: 60, waiting: (full: 99, shed: 25))
    let changes = machine.changes[before...].map { $0 - start }
    // Taken off, and given back after the average has fallen and 3 s.
    try #require(changes.count >= 2)
    #expect(changes[1] - changes[0] < 15)
  }
}

struct RelapseHoldTests {
  private static let second: UInt64 = 1_000_000_000

  private func seconds(_ hold: RelapseHold, _ level: PressureLevel) -> UInt64 {
    hold.nanoseconds(of: level) / Self.second
  }

  @Test func everyRelapseDoublesUpToFiveMinutes() {
    var hold = RelapseHold()
    var found: [UInt64] = []
    for round in 0..<9 as Range<UInt64> {
      hold.levelDidChange(from: .fair, to: .serious, now: .epoch + round * 400 * Self.second)
      found.append(seconds(hold, .serious))
      hold.levelDidChange(from: .serious, to: .fair, now: .epoch + (round * 400 + 300) * Self.second)
    }
    #expect(found == [3, 6, 12, 24, 48, 96, 192, 300, 300])
    #expect(seconds(hold, .fair) == 3, "that level never came back")
  }

  @Test func afterTwoMinutesItIsNoRelapseAndTenMinutesWithoutItAreForgiven() {
    var hold = RelapseHold()
    hold.levelDidChange(from: .nominal, to: .serious, now: 0)
    hold.levelDidChange(from: .serious, to: .nominal, now: .epoch + 10 * Self.second)
    hold.levelDidChange(from: .nominal, to: .serious, now: .epoch + 129 * Self.second)
    #expect([seconds(hold, .fair), seconds(hold, .serious)] == [6, 6])
    hold.levelDidChange(from: .serious, to: .nominal, now: .epoch + 140 * Self.second)
    hold.levelDidChange(from: .nominal, to: .fair, now: .epoch + 260 * Self.second)
    #expect([seconds(hold, .fair), seconds(hold, .serious)] == [6, 6], "neither longer nor forgiven")
    hold.levelDidChange(from: .fair, to: .nominal, now: .epoch + 270 * Self.second)
    #expect(!hold.isForgotten(at: .epoch + 869 * Self.second) && hold.isForgotten(at: .epoch + 870 * Self.second))
    hold.levelDidChange(from: .nominal, to: .fair, now: .epoch + 869 * Self.second)
    #expect([seconds(hold, .fair), seconds(hold, .serious)] == [6, 6])
    hold.levelDidChange(from: .fair, to: .serious, now: .epoch + 870 * Self.second)
    #expect([seconds(hold, .fair), seconds(hold, .serious)] == [6, 3])
  }

  /// One reading a second that is serious for one and cool for four.
  private func falls(_ claim: (Bool) -> Claim?, growsWithRelapses: Bool) -> Int {
    var held = HeldLevel(growsWithRelapses: growsWithRelapses)
    var falls = 0
    for second in 0..<500 as Range<UInt64> {
      let before = held.level
      held.update(claim(second % 5 == 0), now: .epoch + second * Self.second)
      if held.level < before { falls += 1 }
    }
    return falls
  }

  @Test func heatAndWhatCannotBeReadFallAfterThreeSecondsEachTime() {
    let heat = { (isHot: Bool) in Claim(.systemTemperature, risen: isHot ? .serious : .nominal) as Claim? }
    #expect(falls(heat, growsWithRelapses: false) == 100)
    let waiting = { (isBusy: Bool) in Claim(.cpuPressure, risen: isBusy ? .serious : .nominal) as Claim? }
    #expect(falls(waiting, growsWithRelapses: true) == 1, "the hold of 6 s is longer than the pauses")
    let unreadable = { (isBusy: Bool) in isBusy ? Claim(.cpuPressure, risen: .serious) : nil }
    #expect(falls(unreadable, growsWithRelapses: true) == 100)
  }
}
