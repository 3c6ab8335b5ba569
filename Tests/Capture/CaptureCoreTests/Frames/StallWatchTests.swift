import CaptureCore
import SystemClocks
import Testing

@Suite struct StallWatchTests {
  private static let second: UInt64 = 1_000_000_000

  /// A stream of `rate` that began at 100 s and brought `count` frames, one each `interval` nanoseconds.
  private func watch(
    _ rate: Rational, _ count: UInt64, each interval: UInt64, patience: StallPatience = StallPatience()
  ) -> (watch: StallWatch, newest: MonotonicInstant) {
    let start = MonotonicInstant(nanoseconds: 100 * Self.second)
    var watch = StallWatch(start: start, rate: rate, patience: patience)
    for number in 0..<count { watch.noteFrame(at: start + (number + 1) * interval) }
    return (watch, start + count * interval)
  }

  @Test(
    "A12: ten periods, at least a second",
    arguments: [
      (Rational(30, 1), 1_000_000_000), (Rational(10, 1), 1_000_000_000), (Rational(5, 1), 2_000_000_000),
      (Rational(1, 1), 10_000_000_000), (Rational(1, 2), 20_000_000_000),
    ] as [(Rational, UInt64)])
  func tenPeriodsAtLeastASecond(_ rate: Rational, _ expected: UInt64) {
    let (watch, newest) = watch(rate, 20, each: UInt64(1e9 / rate.value))
    #expect(watch.deadline == newest + expected)
    #expect(watch.silence(at: newest + 7) == 7)
  }

  @Test("A12: the first frame has five seconds, or ten periods") func theFirstFrameHasMoreTime() {
    #expect(watch(Rational(30, 1), 0, each: 0).watch.deadline == .epoch + 105 * Self.second)
    #expect(watch(Rational(1, 1), 0, each: 0).watch.deadline == .epoch + 110 * Self.second)
    let patient = StallPatience(betweenFrames: 8 * Self.second, firstFrame: 2 * Self.second)
    #expect(watch(Rational(30, 1), 0, each: 0, patience: patient).watch.deadline == .epoch + 108 * Self.second)
  }

  @Test("A12: a camera that became slower than it says is not stalled") func theRateIsTheEffectiveOne() {
    // In the dark: 30 frames per second are said, one in 0.9 s comes.
    let (watch, newest) = watch(Rational(30, 1), 40, each: 900_000_000)
    #expect((newest + 8 * Self.second...newest + 9 * Self.second).contains(watch.deadline))
  }

  @Test("A12: frames that waited and come at once do not shorten the time of a slow camera")
  func theConfirmedRateCounts() {
    let (watch, newest) = watch(Rational(1, 1), 20, each: 10_000_000)
    #expect(watch.deadline == newest + 10 * Self.second)
  }

  @Test("A12: one hiccup does not make a camera slow") func oneHiccupDoesNotCount() {
    var (watch, newest) = watch(Rational(30, 1), 100, each: 33_333_333)
    newest = newest + 900_000_000
    watch.noteFrame(at: newest)
    #expect(watch.deadline < newest + 2 * Self.second)
    for _ in 0..<30 {
      newest = newest + 33_333_333
      watch.noteFrame(at: newest)
    }
    #expect(watch.deadline == newest + Self.second)
  }

  @Test("A12: a long exposure is waited for, ten times") func aLongExposureIsWaitedFor() {
    var (watch, newest) = watch(Rational(30, 1), 10, each: 33_333_333)
    watch.noteExposure(2 * Self.second)
    #expect(watch.deadline == newest + 20 * Self.second)
    watch.noteExposure(0)
    #expect(watch.deadline == newest + Self.second)
  }

  @Test("A12: an exposure that makes no sense does not hide a stall") func anExposureBeyondReason() {
    var (watch, newest) = watch(Rational(30, 1), 10, each: 33_333_333)
    watch.noteExposure(.max)
    #expect(watch.deadline == newest + 600 * Self.second, "a minute is believed, for now")
    for number in 1...8 {
      newest = newest + 33_333_333
      watch.noteFrame(at: newest)
      watch.noteExposure(.max)
      let expected = number < 8 ? 600 * Self.second : Self.second
      #expect(watch.deadline == newest + expected, "frame \(number)")
    }
    // Frames that take their time show that it is true after all.
    newest = newest + 40 * Self.second
    watch.noteFrame(at: newest)
    #expect(watch.deadline == newest + 600 * Self.second)
  }

  @Test("A12: nothing but damaged pictures is a stall") func damageDoesNotPutTheDeadlineOff() {
    var (watch, newest) = watch(Rational(30, 1), 10, each: 33_333_333)
    for _ in 0..<40 { watch.noteDamage() }
    #expect(watch.deadline == newest + Self.second)
    #expect(watch.damaged == 40)
    let error = CaptureError.stalled(device: "cam", silence: Self.second, damaged: watch.damaged)
    #expect(error.reason == .deviceNotResponding)
    #expect(error.metadata == ["device": "cam", "silent_seconds": "1.0", "damaged_pictures": "40"])
    #expect(error.message.contains("damaged pictures (40)"))
    newest = newest + 900_000_000
    watch.noteFrame(at: newest)
    #expect(watch.damaged == 0)
    #expect(watch.deadline > newest)
  }

  @Test func noRateIsBeyondReason() {
    for rate in [Rational(0, 1), Rational(1, 0), Rational(1, .max), Rational(.max, 1)] {
      let deadline = watch(rate, 3, each: 1).watch.deadline
      #expect((101 * Self.second...1101 * Self.second).contains(deadline.nanoseconds), "\(rate)")
    }
  }
}

@Suite struct SleepGaugeTests {
  private static let second: UInt64 = 1_000_000_000
  private let gauge = make(monotonic: 100 * second, boot: 500 * second)

  private static func make(monotonic: UInt64, boot: UInt64) -> SleepGauge {
    SleepGauge(monotonic: MonotonicInstant(nanoseconds: monotonic), boot: BootInstant(nanoseconds: boot))
  }

  private func slept(_ gauge: SleepGauge? = nil, boot: UInt64, monotonic: UInt64) -> UInt64? {
    (gauge ?? self.gauge).slept(
      boot: BootInstant(nanoseconds: boot), monotonic: MonotonicInstant(nanoseconds: monotonic))
  }

  @Test("A12: a suspended machine is what CLOCK_BOOTTIME gained") func sleepIsWhatTheOtherClockGained() {
    #expect(slept(boot: 530 * Self.second, monotonic: 130 * Self.second) == nil)
    #expect(slept(boot: 537 * Self.second, monotonic: 130 * Self.second) == 7 * Self.second)
  }

  @Test("A12: clocks that drift apart a little are no sleep") func aShortGainIsNoSleep() {
    let (boot, monotonic) = (530 * Self.second, 130 * Self.second)
    #expect(slept(boot: boot + SleepGauge.shortest - 1, monotonic: monotonic) == nil)
    #expect(slept(boot: boot + SleepGauge.shortest, monotonic: monotonic) == SleepGauge.shortest)
  }

  @Test("A12: a thread that lost its processor between two clocks has not slept") func aPauseIsNoSleep() {
    // Read in the order that the gauge asks for, the pause can only make the gain smaller.
    #expect(slept(boot: 530 * Self.second, monotonic: 133 * Self.second) == nil)
    #expect(slept(boot: 503 * Self.second, monotonic: 104 * Self.second) == nil)
    let paused = Self.make(monotonic: 100 * Self.second, boot: 503 * Self.second)
    #expect(slept(paused, boot: 530 * Self.second, monotonic: 130 * Self.second) == nil)
  }

  @Test func aGaugeThatBeginsNowHasNotSlept() {
    let gauge = SleepGauge.start()
    let boot = BootInstant.now()
    #expect(gauge.slept(boot: boot, monotonic: .now()) == nil)
  }
}
