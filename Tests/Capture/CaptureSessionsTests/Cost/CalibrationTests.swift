import Testing

@testable import CaptureSessions

/// Tests how the daemon measures what one core of the machine can do.
@Suite struct CalibrationTests {
  private struct CannotBeDone: Error {}

  /// The throughput is the work divided by the processor time of all runs but the first of each kind, and the
  /// measurement ends when the budget of processor time is used.
  @Test func measuresProcessorTimeWithoutTheFirstRun() throws {
    var clock: UInt64 = 0
    var runs = 0
    func work(_ units: Double, nanoseconds: UInt64) -> Calibration.Work {
      .init(units: units) {
        // The first run takes long, because it meets cold caches.
        clock += runs == 0 ? 1_000_000_000 : nanoseconds
        runs += 1
      }
    }
    let core = try Calibration.measure(
      copying: work(1000, nanoseconds: 10_000_000), converting: work(300, nanoseconds: 30_000_000),
      encoding: work(500, nanoseconds: 100_000_000), clock: { clock })
    #expect(core == CoreThroughput(copiedBytes: 100_000, convertedPixels: 10_000, encodedPixels: 5000))
    #expect(runs == 1 + 5 + 1 + 2 + 1 + 1, "each kind has one uncounted run, and then as many runs as fill the budget")
  }

  /// When the machine cannot do one kind of work, measuring throws the error of that work instead of giving a wrong
  /// figure.
  @Test func measuringThrowsWhenAKindOfWorkFails() {
    let fine = Calibration.Work(units: 1) {}
    var clock: UInt64 = 0
    #expect(throws: CannotBeDone.self) {
      try Calibration.measure(
        copying: fine, converting: .init(units: 1) { throw CannotBeDone() }, encoding: fine,
        clock: {
          clock += Calibration.budget
          return clock
        })
    }
  }

  /// The gauge has no capacity before the measurement. Afterwards it has the capacity and announces it once to its
  /// consumer, even to a consumer that begins to listen later.
  @Test func aMeasuredCapacityIsKnownAndAnnounced() async {
    let gauge = MachineGauge()
    #expect(gauge.current == nil)
    gauge.tell(.round)
    #expect(gauge.current == .round)
    var told = gauge.told.makeAsyncIterator()
    #expect(await told.next() != nil, "a consumer that listens later gets the element too")
  }
}

/// Tests how the daemon reads from /proc/stat which share of the time the machine was idle.
@Suite struct ProcessorTimesTests {
  /// The times are those of the line for all processors. Idle time includes waiting for disks.
  @Test func readsTheLineOfAllProcessors() throws {
    let text = "cpu  100 20 30 400 50 1 2 3 70 8\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1\n"
    let times = try #require(ProcessorTimes(stat: text))
    #expect(times.idle == 450)
    #expect(times.total == 606, "the times of guests are contained in user and nice already")
  }

  /// The share counts only what happened between the two readings; earlier load does not matter.
  @Test(
    "C2: the idle share is the idle time divided by the time between two readings",
    arguments: [(0, 100, 0.0), (25, 75, 0.25), (100, 0, 1)])
  func theIdleShareIsTakenBetweenTwoReadings(idle: Int, busy: Int, share: Double) throws {
    let former = try #require(ProcessorTimes(stat: "cpu  100 0 0 400 0 0 0 0 0 0\n"))
    let now = try #require(ProcessorTimes(stat: "cpu  \(100 + busy) 0 0 \(400 + idle) 0 0 0 0 0 0\n"))
    #expect(now.idleShare(since: former) == share)
  }

  /// A text without a complete line for all processors, or with all times 0, gives nil, and so does the share between
  /// two equal readings.
  @Test func textWithoutTheTimesGivesNil() throws {
    for text in ["", "cpu0 1 2 3 4 5\n", "cpu  1 2 3\n", "intr 5\n", "cpu  0 0 0 0 0 0 0 0 0 0\n"] {
      #expect(ProcessorTimes(stat: text) == nil)
    }
    let still = try #require(ProcessorTimes(stat: "cpu  100 0 0 400 0 0 0 0 0 0\n"))
    #expect(still.idleShare(since: still) == nil, "no time passed between the readings")
  }
}
