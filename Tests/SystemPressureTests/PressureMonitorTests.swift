import Logging
import Testing

@testable import SystemPressure

/// Each test waits for events; the limit is for an event that never comes.
@Suite(.timeLimit(.minutes(1)))
struct PressureMonitorTests {
  private let tree = SysfsTree()

  init() {
    tree.makeZone(
      0, type: "cpu-thermal", millidegrees: 42_000,
      trips: [("passive", 85_000), ("hot", 100_000), ("critical", 120_000)])
  }

  private func monitor() -> PressureMonitor {
    PressureMonitor(
      reader: ThermalZoneReader(sysfsRoot: tree.root), logger: Logger(label: "test"),
      intervals: PressureMonitor.Intervals(cool: .milliseconds(1), warm: .milliseconds(1)))
  }

  @Test func theStateIsTrueFromTheStart() {
    tree.setTemperature(ofZone: 0, 101_000)
    let state = monitor().current
    #expect(state.level == .critical)
    #expect(state.readings.map(\.zone.millidegrees) == [101_000])
    #expect(state.readTimeWallNanoseconds > 0)
  }

  @Test func watchersGetThePresentStateFirstThenEachChange() async {
    let monitor = monitor()
    await withTaskGroup { group in
      group.addTask { await monitor.run() }
      var watcher = monitor.watch().makeAsyncIterator()
      var levels = [await watcher.next()?.level]
      for millidegrees in [82_000, 88_000, 101_000, 116_000] {
        tree.setTemperature(ofZone: 0, millidegrees)
        levels.append(await watcher.next()?.level)
      }
      #expect(levels == [.nominal, .fair, .serious, .critical, .shutdown])
      #expect(monitor.current.factors == [.systemTemperature])
      var late = monitor.watch().makeAsyncIterator()
      #expect(await late.next()?.level == .shutdown)
      group.cancelAll()
    }
  }

  @Test func aSlowWatcherGetsTheNewest() async {
    let monitor = monitor()
    await withTaskGroup { group in
      group.addTask { await monitor.run() }
      var slow = monitor.watch().makeAsyncIterator()
      var quick = monitor.watch().makeAsyncIterator()
      _ = await quick.next()
      for millidegrees in [88_000, 116_000] {
        tree.setTemperature(ofZone: 0, millidegrees)
        _ = await quick.next()
      }
      #expect(await slow.next()?.level == .shutdown)
      group.cancelAll()
    }
  }

  @Test func cancellingTheRunEndsEveryWatcher() async {
    let monitor = monitor()
    await withTaskGroup { group in
      group.addTask { await monitor.run() }
      for _ in 0..<3 {
        group.addTask { for await _ in monitor.watch() {} }
      }
      group.cancelAll()
    }
    var seen: [PressureLevel] = []
    for await state in monitor.watch() { seen.append(state.level) }
    #expect(seen == [.nominal])
  }

  @Test func aRunThatIsCancelledBeforeItBeginsReturns() async {
    let monitor = monitor()
    let run = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await monitor.run()
    }
    await run.value
    var watcher = monitor.watch().makeAsyncIterator()
    _ = await watcher.next()
    #expect(await watcher.next() == nil)
  }
}
