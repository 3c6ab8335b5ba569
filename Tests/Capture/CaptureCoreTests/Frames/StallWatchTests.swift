import CaptureCore
import SystemClocks
import Testing

/// Tests when a camera that brings no frames counts as stalled. A deadline that is too short restarts a camera that is
/// only slow; a deadline that is too long leaves viewers with a frozen picture.
@Suite struct StallWatchTests {
  private static let second: UInt64 = 1_000_000_000

  /// The watch of a stream of `rate` frames per second that began at 100 s and brought `count` frames, one every
  /// `interval` nanoseconds. `newest` is when the last of these frames came, or when the stream began.
  private func watch(
    _ rate: Rational, _ count: UInt64, each interval: UInt64, patience: StallPatience = StallPatience()
  ) -> (watch: StallWatch, newest: MonotonicInstant) {
    let start = MonotonicInstant(nanoseconds: 100 * Self.second)
    var watch = StallWatch(start: start, rate: rate, patience: patience)
    for number in 0..<count { watch.noteFrame(at: start + (number + 1) * interval) }
    return (watch, start + count * interval)
  }

  /// Slow cameras get ten of their periods. Fast cameras get one second, because a pause of a third of a second is no
  /// stall.
  @Test(
    "A12: the deadline is ten periods and at least one second after the newest frame",
    arguments: [
      (Rational(30, 1), 1_000_000_000), (Rational(10, 1), 1_000_000_000), (Rational(5, 1), 2_000_000_000),
      (Rational(1, 1), 10_000_000_000), (Rational(1, 2), 20_000_000_000),
    ] as [(Rational, UInt64)])
  func theDeadlineIsTenPeriodsAndAtLeastASecond(_ rate: Rational, _ expected: UInt64) {
    let (watch, newest) = watch(rate, 20, each: UInt64(1e9 / rate.value))
    #expect(watch.deadline == newest + expected)
    #expect(watch.silence(at: newest + 7) == 7)
  }

  /// Cameras need time until they bring their first frame. The time for the first frame is never shorter than the time
  /// between frames.
  @Test("A12: the first frame may take five seconds or ten periods, whichever is longer")
  func theFirstFrameMayTakeLonger() {
    #expect(watch(Rational(30, 1), 0, each: 0).watch.deadline == .epoch + 105 * Self.second)
    #expect(watch(Rational(1, 1), 0, each: 0).watch.deadline == .epoch + 110 * Self.second)
    let patient = StallPatience(betweenFrames: 8 * Self.second, firstFrame: 2 * Self.second)
    #expect(watch(Rational(30, 1), 0, each: 0, patience: patient).watch.deadline == .epoch + 108 * Self.second)
  }

  /// The usual time between the latest frames counts when it is longer than the period that the driver confirmed.
  @Test("A12: a camera that delivers more slowly than its confirmed rate is not stalled")
  func theUsualIntervalCountsWhenItIsLonger() {
    // In the dark, this camera confirms 30 frames per second and brings one every 0.9 s.
    let (watch, newest) = watch(Rational(30, 1), 40, each: 900_000_000)
    #expect((newest + 8 * Self.second...newest + 9 * Self.second).contains(watch.deadline))
  }

  /// When frames that waited in a queue come all at once, the time between them is short. The period that the driver
  /// confirmed still counts, because it is longer.
  @Test("A12: a burst of queued frames does not shorten the deadline of a slow camera")
  func theConfirmedPeriodCountsWhenItIsLonger() {
    let (watch, newest) = watch(Rational(1, 1), 20, each: 10_000_000)
    #expect(watch.deadline == newest + 10 * Self.second)
  }

  /// After one late frame, the deadline stays below two seconds, and after another second of frames it is one second
  /// again.
  @Test("A12: one late frame does not make a camera count as slow") func oneLateFrameDoesNotCount() {
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

  /// A camera that exposes for two seconds may take ten times two seconds. An exposure of 0, which stands for a camera
  /// that does not tell, has no effect.
  @Test("A12: a long exposure gives the camera ten exposure times") func aLongExposureExtendsTheDeadline() {
    var (watch, newest) = watch(Rational(30, 1), 10, each: 33_333_333)
    watch.noteExposure(2 * Self.second)
    #expect(watch.deadline == newest + 20 * Self.second)
    watch.noteExposure(0)
    #expect(watch.deadline == newest + Self.second)
  }

  /// Some cameras claim exposure times of hours, or times that have no effect. The watch believes at most a minute, and
  /// ignores the claim after eight frames in a row that came in less than half of the claimed time.
  @Test("A12: an implausible exposure time does not hide a stall") func anImplausibleExposureIsBelievedOnlyForAWhile() {
    var (watch, newest) = watch(Rational(30, 1), 10, each: 33_333_333)
    watch.noteExposure(.max)
    #expect(watch.deadline == newest + 600 * Self.second, "a claim of more than a minute counts as a minute")
    for number in 1...8 {
      newest = newest + 33_333_333
      watch.noteFrame(at: newest)
      watch.noteExposure(.max)
      let expected = number < 8 ? 600 * Self.second : Self.second
      #expect(watch.deadline == newest + expected, "frame \(number)")
    }
    // A frame that takes 40 s shows that the claim is true.
    newest = newest + 40 * Self.second
    watch.noteFrame(at: newest)
    #expect(watch.deadline == newest + 600 * Self.second)
  }

  /// Damaged pictures do not put off the deadline, because a viewer sees a frozen picture. The error tells how many
  /// damaged pictures came; a whole picture resets the count.
  @Test("A12: a camera that brings only damaged pictures is stalled") func damagedPicturesDoNotMoveTheDeadline() {
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

  /// A driver may confirm a rate that makes no sense. The deadline still lies between one second and 1001 seconds after
  /// the newest frame, so that the watch neither takes a working camera for stalled nor waits forever.
  @Test func implausibleRatesGiveABoundedDeadline() {
    for rate in [Rational(0, 1), Rational(1, 0), Rational(1, .max), Rational(.max, 1)] {
      let deadline = watch(rate, 3, each: 1).watch.deadline
      #expect((101 * Self.second...1101 * Self.second).contains(deadline.nanoseconds), "\(rate)")
    }
  }
}

/// Tests how the difference of two clocks shows that the machine was suspended. A stream that notices a suspension
/// restarts its camera, so the gauge must not take a pause of a thread for a suspension.
@Suite struct SleepGaugeTests {
  private static let second: UInt64 = 1_000_000_000
  private let gauge = make(monotonic: 100 * second, boot: 500 * second)

  /// A gauge that begins at these readings of the clocks, in nanoseconds.
  private static func make(monotonic: UInt64, boot: UInt64) -> SleepGauge {
    SleepGauge(monotonic: MonotonicInstant(nanoseconds: monotonic), boot: BootInstant(nanoseconds: boot))
  }

  /// How long the machine slept according to `gauge` at these readings of the clocks. The readings and the result are
  /// nanoseconds; nil for `gauge` means the gauge of the suite.
  private func slept(_ gauge: SleepGauge? = nil, boot: UInt64, monotonic: UInt64) -> UInt64? {
    (gauge ?? self.gauge).slept(
      boot: BootInstant(nanoseconds: boot), monotonic: MonotonicInstant(nanoseconds: monotonic))
  }

  /// CLOCK_BOOTTIME counts during a suspension and CLOCK_MONOTONIC does not, so the time by which CLOCK_BOOTTIME gained
  /// is the length of the suspension.
  @Test("A12: the machine slept for the time that CLOCK_BOOTTIME gained on CLOCK_MONOTONIC")
  func theGainOfBootTimeIsTheSleep() {
    #expect(slept(boot: 530 * Self.second, monotonic: 130 * Self.second) == nil)
    #expect(slept(boot: 537 * Self.second, monotonic: 130 * Self.second) == 7 * Self.second)
  }

  /// A gain of less than `SleepGauge.shortest` does not count, because no machine suspends and resumes faster.
  @Test("A12: clocks that drift apart a little do not count as a sleep") func aGainBelowTheShortestSleepDoesNotCount() {
    let (boot, monotonic) = (530 * Self.second, 130 * Self.second)
    #expect(slept(boot: boot + SleepGauge.shortest - 1, monotonic: monotonic) == nil)
    #expect(slept(boot: boot + SleepGauge.shortest, monotonic: monotonic) == SleepGauge.shortest)
  }

  /// The thread may lose its processor between the reads of the two clocks. Such a pause must not restart a camera.
  @Test("A12: a pause of the thread between the two clock reads does not count as a sleep")
  func aPauseBetweenTheTwoReadsIsNoSleep() {
    // In the order in which the gauge wants the clocks to be read, a pause only makes the gain smaller.
    #expect(slept(boot: 530 * Self.second, monotonic: 133 * Self.second) == nil)
    #expect(slept(boot: 503 * Self.second, monotonic: 104 * Self.second) == nil)
    let paused = Self.make(monotonic: 100 * Self.second, boot: 503 * Self.second)
    #expect(slept(paused, boot: 530 * Self.second, monotonic: 130 * Self.second) == nil)
  }

  /// A gauge that has just started finds no sleep on the real clocks.
  @Test func aNewGaugeHasSeenNoSleep() {
    let gauge = SleepGauge.start()
    let boot = BootInstant.now()
    #expect(gauge.slept(boot: boot, monotonic: .now()) == nil)
  }
}
