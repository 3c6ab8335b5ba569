import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

/// A simulation of sessions that cause the pressure themselves: tasks wait less once the sessions take steps of the
/// ladder, and wait again as soon as the sessions give the steps back.
struct ClosedLoopTests {
  /// A simulated machine. Feeds the model with readings at the monitor's intervals.
  private struct Machine {
    var model = PressureModel()
    var random: SeededGenerator
    /// The simulated time.
    var now: MonotonicInstant = 0
    /// The kernel's average over 10 s of the share of time that tasks wait, in percent.
    var average = 0.0
    var level = PressureLevel.nominal
    /// Whether the ladder asks for steps now.
    var isShed = false
    /// How often the ladder began to ask for steps.
    var swings = 0
    /// The times at which the ladder began or ceased to ask for steps, in seconds.
    var changes: [Double] = []

    /// Advances the machine by `seconds`. `waiting` is the share of time that tasks wait, in percent: `full` at full
    /// load, and `shed` while the ladder asks for steps.
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

  /// When the daemon's own load is the pressure, taking load off ends the pressure, and giving the load back brings the
  /// pressure again. Each relapse is held longer than the one before, so that people rarely see the previews change.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func pressureFromTheDaemonsOwnLoadSwingsRarely(seed: UInt64) {
    var machine = Machine(random: SeededGenerator(seed: seed))
    machine.run(seconds: 3600, waiting: (full: 99, shed: 25))
    // The machine swings seven times until the longest hold is reached, and then less than once in 5 min. With a hold
    // of 3 s each time, the machine would swing a hundred times.
    #expect((5...18).contains(machine.swings), "\(machine.swings) swings in an hour")
    let before = machine.swings
    machine.run(seconds: 3600, waiting: (full: 99, shed: 25))
    #expect(machine.swings - before <= 12, "\(machine.swings - before) swings in the second hour")
  }

  /// Pressure that other programs cause does not fall when sessions take load off. The level holds for as long as the
  /// pressure lasts, so sessions change once.
  @Test func pressureOfOthersIsHeldWhileItLasts() {
    var machine = Machine(random: SeededGenerator(seed: 7))
    machine.run(seconds: 3600, waiting: (full: 99, shed: 99))
    #expect(machine.swings == 1 && machine.level == .serious)
  }

  /// Another program works for 1 min, then the machine is idle for 3 min, and so on. If each return made the hold
  /// longer, the level would stay for good, although the machine is idle most of the time.
  @Test func workOfOthersEveryFewMinutesIsNotHeldBetweenTheRuns() {
    var machine = Machine(random: SeededGenerator(seed: 17))
    for round in 0..<30 {
      machine.run(seconds: 60, waiting: (full: 99, shed: 99))
      #expect(machine.level == .serious, "round \(round)")
      machine.run(seconds: 180, waiting: (full: 10, shed: 10))
      #expect(machine.level == .nominal && !machine.isShed, "round \(round)")
    }
  }

  /// After an hour of pressure from the daemon's own load, the hold is long. When other programs begin to work during
  /// such a hold, the hold goes back to 3 s, and the level falls between their runs.
  @Test func workOfOthersDuringALongHoldResetsTheHold() {
    var machine = Machine(random: SeededGenerator(seed: 19))
    machine.run(seconds: 3600, waiting: (full: 99, shed: 25))
    for round in 0..<10 {
      machine.run(seconds: 60, waiting: (full: 99, shed: 99))
      machine.run(seconds: 180, waiting: (full: 10, shed: 10))
      #expect(round == 0 || machine.level == .nominal, "round \(round)")
    }
  }

  /// The longest hold is 5 min, so sessions get their full quality back soon after the load is gone, even after an hour
  /// of relapses.
  @Test func whenTheLoadIsGoneTheLevelFallsWithinFiveMinutesAndStaysDown() {
    var machine = Machine(random: SeededGenerator(seed: 11))
    machine.run(seconds: 3600, waiting: (full: 99, shed: 25))
    let swings = machine.swings
    machine.run(seconds: 360, waiting: (full: 20, shed: 10))
    #expect(machine.level == .nominal && !machine.isShed)
    #expect(machine.swings == swings)
  }

  /// A level that stays away for 10 min is forgotten: the next pressure is held for 3 s, as if there had been no
  /// relapses.
  @Test func aLongCalmResetsTheHoldToThreeSeconds() throws {
    var machine = Machine(random: SeededGenerator(seed: 13))
    machine.run(seconds: 3600, waiting: (full: 99, shed: 25))
    machine.run(seconds: 300 + 660, waiting: (full: 20, shed: 10))
    let (before, start) = (machine.changes.count, Double(machine.now.nanoseconds) / 1e9)
    machine.run(seconds: 60, waiting: (full: 99, shed: 25))
    let changes = machine.changes[before...].map { $0 - start }
    // The first change takes load off. The second change gives the load back, once the average has fallen and the hold
    // of 3 s is over.
    try #require(changes.count >= 2)
    #expect(changes[1] - changes[0] < 15)
  }
}

/// For how long a level is held that comes back again and again.
struct RelapseHoldTests {
  private static let second: UInt64 = 1_000_000_000

  private func seconds(_ hold: RelapseHold, _ level: PressureLevel) -> UInt64 {
    hold.nanoseconds(of: level) / Self.second
  }

  /// A level that comes back soon after it was left is held twice as long as before. Each level has a memory of its
  /// own.
  @Test func everyRelapseDoublesTheHoldUpToFiveMinutes() {
    var hold = RelapseHold()
    var found: [UInt64] = []
    for round in 0..<9 as Range<UInt64> {
      hold.levelDidChange(from: .fair, to: .serious, now: .epoch + round * 400 * Self.second)
      found.append(seconds(hold, .serious))
      hold.levelDidChange(from: .serious, to: .fair, now: .epoch + (round * 400 + 300) * Self.second)
    }
    #expect(found == [3, 6, 12, 24, 48, 96, 192, 300, 300])
    #expect(seconds(hold, .fair) == 3, "the level fair never came back")
  }

  /// A level that comes back 2 min or more after it was left is no relapse and keeps its hold. A level that stays away
  /// for 10 min is forgotten, and its hold goes back to 3 s.
  @Test func aReturnAfterTwoMinutesIsNoRelapseAndTenMinutesForgetALevel() {
    var hold = RelapseHold()
    hold.levelDidChange(from: .nominal, to: .serious, now: 0)
    hold.levelDidChange(from: .serious, to: .nominal, now: .epoch + 10 * Self.second)
    hold.levelDidChange(from: .nominal, to: .serious, now: .epoch + 129 * Self.second)
    #expect([seconds(hold, .fair), seconds(hold, .serious)] == [6, 6])
    hold.levelDidChange(from: .serious, to: .nominal, now: .epoch + 140 * Self.second)
    hold.levelDidChange(from: .nominal, to: .fair, now: .epoch + 260 * Self.second)
    #expect([seconds(hold, .fair), seconds(hold, .serious)] == [6, 6], "the hold is neither longer nor forgotten")
    hold.levelDidChange(from: .fair, to: .nominal, now: .epoch + 270 * Self.second)
    #expect(!hold.isForgotten(at: .epoch + 869 * Self.second) && hold.isForgotten(at: .epoch + 870 * Self.second))
    hold.levelDidChange(from: .nominal, to: .fair, now: .epoch + 869 * Self.second)
    #expect([seconds(hold, .fair), seconds(hold, .serious)] == [6, 6])
    hold.levelDidChange(from: .fair, to: .serious, now: .epoch + 870 * Self.second)
    #expect([seconds(hold, .fair), seconds(hold, .serious)] == [6, 3])
  }

  /// How often a level falls in 500 s, with one reading a second. Of five readings one is serious and four are cool;
  /// `claim` makes the claim of a reading, and its argument is true when the reading is serious.
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

  /// Only waiting is held longer after relapses, because the daemon's own load can make tasks wait. Heat falls after 3
  /// s each time, and so does a source that cannot be read.
  @Test func heatAndUnreadableSourcesFallAfterThreeSecondsEachTime() {
    let heat = { (isHot: Bool) in Claim(.systemTemperature, risen: isHot ? .serious : .nominal) as Claim? }
    #expect(falls(heat, growsWithRelapses: false) == 100)
    let waiting = { (isBusy: Bool) in Claim(.cpuPressure, risen: isBusy ? .serious : .nominal) as Claim? }
    #expect(falls(waiting, growsWithRelapses: true) == 1, "the hold of 6 s is longer than the pauses")
    let unreadable = { (isBusy: Bool) in isBusy ? Claim(.cpuPressure, risen: .serious) : nil }
    #expect(falls(unreadable, growsWithRelapses: true) == 100)
  }
}
