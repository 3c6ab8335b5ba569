import CaptureCore
import Logging
import SystemClocks
import Testing

@testable import SystemPressure

/// How soon the monitor takes the second reading that a jump needs. The test waits for events; the time limit is for an
/// event that never comes.
@Suite(.timeLimit(.minutes(2)))
struct PressureConfirmationTests {
  private let tree = SysfsTree()

  init() { tree.makeZone(0, type: "cpu-thermal", millidegrees: 42_000, trips: [("critical", 110_000)]) }

  /// The next regular reading is an hour away. A drill makes the monitor read once, which finds the jump, and the
  /// reading that confirms it follows at once.
  @Test func theSecondReadingComesAtOnce() async {
    let hour: UInt64 = 3_600_000_000_000
    let monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil, intervals: PressureMonitor.Intervals(cool: hour, warm: hour, least: 1_000_000))
    await withTaskGroup { group in
      group.addTask { await monitor.run() }
      tree.setTemperature(ofZone: 0, 106_000)
      monitor.simulate(.fair, .cpuPressure, nanoseconds: hour)
      for await state in monitor.watch() where state.level == .shutdown {
        #expect(state.causes.map(\.source) == ["thermal_zone0", "drill"])
        break
      }
      group.cancelAll()
    }
  }
}
