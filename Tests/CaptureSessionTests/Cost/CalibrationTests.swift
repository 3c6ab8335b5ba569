import Testing

@testable import CaptureSession

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

  @Test func whoAsksEarlyWaits() async {
    let gauge = MachineGauge()
    #expect(gauge.current == nil)
    async let early = gauge.capacity()
    gauge.tell(.round)
    #expect(await early == .round)
    #expect(await gauge.capacity() == .round)
    #expect(gauge.current == .round)
  }

  @Test func whatCannotBeMeasuredIsNotWaitedFor() async {
    let gauge = MachineGauge()
    async let early = gauge.capacity()
    gauge.tell(nil)
    #expect(await early == nil)
    #expect(await MachineGauge(nil).capacity() == nil)
  }
}
