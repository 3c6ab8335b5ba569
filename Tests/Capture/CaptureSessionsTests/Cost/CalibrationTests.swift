import Testing

@testable import CaptureSessions

@Suite struct CalibrationTests {
  private struct CannotBeDone: Error {}

  @Test func countsProcessorTimeWithoutTheFirstRun() throws {
    var clock: UInt64 = 0
    var runs = 0
    func work(_ units: Double, nanoseconds: UInt64) -> Calibration.Work {
      .init(units: units) {
        // The first run meets cold caches.
        clock += runs == 0 ? 1_000_000_000 : nanoseconds
        runs += 1
      }
    }
    let core = try Calibration.measure(
      copying: work(1000, nanoseconds: 10_000_000), converting: work(300, nanoseconds: 30_000_000),
      encoding: work(500, nanoseconds: 100_000_000), clock: { clock })
    #expect(core == CoreThroughput(copiedBytes: 100_000, convertedPixels: 10_000, encodedPixels: 5000))
    #expect(runs == 1 + 5 + 1 + 2 + 1 + 1, "no more than the budget asks for")
  }

  @Test func whatCannotBeDoneHasNoFigure() {
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

  @Test func whatIsToldIsKnownAndHeardOf() async {
    let gauge = MachineGauge()
    #expect(gauge.current == nil)
    gauge.tell(.round)
    #expect(gauge.current == .round)
    var told = gauge.told.makeAsyncIterator()
    #expect(await told.next() != nil, "who listens later hears of it, too")
  }
}

@Suite struct ProcessorTimesTests {
  @Test func readsTheSumOfAllProcessors() throws {
    let text = "cpu  100 20 30 400 50 1 2 3 70 8\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1\n"
    let times = try #require(ProcessorTimes(stat: text))
    #expect(times.idle == 450)
    #expect(times.total == 606, "guests' times are counted in user and nice already")
  }

  @Test(
    "C2: a machine is idle for the share of time in which it was",
    arguments: [(0, 100, 0.0), (25, 75, 0.25), (100, 0, 1)])
  func idleShare(idle: Int, busy: Int, share: Double) throws {
    let former = try #require(ProcessorTimes(stat: "cpu  100 0 0 400 0 0 0 0 0 0\n"))
    let now = try #require(ProcessorTimes(stat: "cpu  \(100 + busy) 0 0 \(400 + idle) 0 0 0 0 0 0\n"))
    #expect(now.idleShare(since: former) == share)
  }

  @Test func aKernelThatDoesNotTellHasNoTimes() throws {
    for text in ["", "cpu0 1 2 3 4 5\n", "cpu  1 2 3\n", "intr 5\n", "cpu  0 0 0 0 0 0 0 0 0 0\n"] {
      #expect(ProcessorTimes(stat: text) == nil)
    }
    let still = try #require(ProcessorTimes(stat: "cpu  100 0 0 400 0 0 0 0 0 0\n"))
    #expect(still.idleShare(since: still) == nil, "no time passed")
  }
}
