import CaptureCore
import CaptureTestKit
import Logging
import Synchronization
import SystemClocks
import Testing

@testable import SystemPressure

/// When the monitor reads, and of which changes watchers hear. Each test waits for events; the time limit is for an
/// event that never comes.
@Suite(.timeLimit(.minutes(2)))
struct PressureMonitorTests {
  private let tree = SysfsTree()

  init() {
    tree.makeZone(
      0, type: "cpu-thermal", millidegrees: 42_000,
      trips: [("passive", 85_000), ("hot", 100_000), ("critical", 120_000)])
  }

  /// A monitor that reads every millisecond and gets no news of the kernel.
  private func monitor() -> PressureMonitor {
    PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil,
      intervals: PressureMonitor.Intervals(
        cool: 1_000_000, warm: 1_000_000, least: 0, cameraPatience: 3_600_000_000_000))
  }

  /// Waits until `holds` returns true, or until the time limit ends the test. Polls, because watchers hear nothing of
  /// the parts of the state that the tests look at.
  private func until(_ holds: () -> Bool) async throws {
    while !holds() { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// The monitor reads once when it is made, so that a client that asks before the first polling interval gets a
  /// measured state.
  @Test func theStateIsMeasuredFromTheStart() {
    tree.setTemperature(ofZone: 0, 101_000)
    let state = monitor().current
    #expect(state.level == .critical)
    #expect(state.readings.zones.map(\.millidegrees) == [101_000])
    #expect(state.readTime > 0)
  }

  /// A watcher that comes late begins with the present state as well.
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

  /// A watcher of the machine hears nothing of hot cameras, and a watcher of one camera nothing of other cameras. The
  /// history records the machine alone.
  @Test func eachWatcherHearsOnlyOfItsScope() async {
    let monitor = monitor()
    await withTaskGroup { group in
      group.addTask { await monitor.run() }
      var machine = monitor.watch().makeAsyncIterator()
      var camera = monitor.watch(.device("cam")).makeAsyncIterator()
      var everything = monitor.watch(.everything).makeAsyncIterator()
      #expect([await machine.next()?.level, await camera.next()?.level] == [.nominal, .nominal])
      _ = await everything.next()
      monitor.setCameras([
        CameraTemperature(device: "cam", control: "t", millidegrees: 76_000),
        CameraTemperature(device: "other", control: "t", millidegrees: 90_000),
      ])
      #expect(await everything.next()?.level == .critical)
      #expect(await camera.next()?.level == .serious)
      tree.setTemperature(ofZone: 0, 101_000)
      #expect(await machine.next()?.level == .critical, "no change before was about the machine")
      #expect(monitor.history(in: .epoch ..< .distantFuture, atMost: 1).map(\.bestLevel) == [.nominal])
      group.cancelAll()
    }
  }

  /// A watcher that does not take its states in time gets the newest state, and not those before.
  @Test func aSlowWatcherGetsTheNewestState() async {
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
      // The monitor tells one watcher after the other. Once the run has ended, the monitor has told all of them.
      group.cancelAll()
      await group.waitForAll()
      #expect(await slow.next()?.level == .shutdown)
    }
  }

  /// A watcher that comes after the end of the run gets the present state, and then the end of its stream.
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

  @Test func aRunThatIsCancelledBeforeItBeginsReturnsAtOnce() async {
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

  /// Watchers hear of a drill at once, and of its end. The next reading is an hour away, so each change that the
  /// watcher hears of comes from a drill.
  @Test func watchersHearOfADrillAtOnceAndOfItsEnd() async {
    let monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil, intervals: PressureMonitor.Intervals(cool: 3_600_000_000_000, warm: 3_600_000_000_000))
    await withTaskGroup { group in
      group.addTask { await monitor.run() }
      var watcher = monitor.watch().makeAsyncIterator()
      #expect(await watcher.next()?.level == .nominal)
      let state = monitor.simulate(.critical, .cpuPressure, nanoseconds: 3_600_000_000_000)
      #expect(state.level == .critical && state.isSimulated)
      let told = await watcher.next()
      #expect(told?.level == .critical && told?.isSimulated == true && told?.factors == [.cpuPressure])
      // This drill replaces the first one and is over before long. A slow watcher may miss the drill, but not its end.
      monitor.simulate(.serious, .cpuPressure, nanoseconds: 100_000_000)
      var after = await watcher.next()
      if after?.level == .serious { after = await watcher.next() }
      #expect(after?.level == .nominal && after?.isSimulated == false)
      monitor.simulate(.fair, .systemTemperature, nanoseconds: 3_600_000_000_000)
      #expect(await watcher.next()?.level == .fair)
      monitor.simulate(.nominal, .systemTemperature, nanoseconds: 0)
      #expect(await watcher.next()?.level == .nominal)
      #expect(
        monitor.history(in: .epoch ..< .distantFuture, atMost: 1).first?.worstLevel == .nominal, "a drill was recorded")
      group.cancelAll()
    }
  }

  /// When heat has the level and the factor of a running drill, the state is no longer simulated. Watchers that ignore
  /// drills must hear of this change.
  @Test func watchersHearOfHeatThatJoinsADrill() async {
    let monitor = monitor()
    await withTaskGroup { group in
      group.addTask { await monitor.run() }
      var watcher = monitor.watch().makeAsyncIterator()
      _ = await watcher.next()
      monitor.simulate(.serious, .systemTemperature, nanoseconds: 3_600_000_000_000)
      #expect(await watcher.next()?.isSimulated == true)
      tree.setTemperature(ofZone: 0, 88_000)
      let hot = await watcher.next()
      #expect(hot?.level == .serious && hot?.isSimulated == false)
      group.cancelAll()
    }
  }

  /// Each reading finds more zones hot than the one before. Watchers hear of at most four readings a second, and always
  /// of the last one; the test shortens the interval from 250 ms to 50 ms.
  @Test func watchersHearOfAtMostFourReadingsASecondAndOfTheLast() async {
    var intervals = PressureMonitor.Intervals(cool: 1_000_000, warm: 1_000_000)
    #expect(intervals.least == 250_000_000, "four a second")
    intervals.least = 50_000_000
    let monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil, intervals: intervals)
    let zones = 100
    var times: [WallInstant] = []
    await withTaskGroup { group in
      group.addTask { await monitor.run() }
      group.addTask {
        for index in 1...zones {
          tree.makeZone(index, type: "t", millidegrees: 90_000, trips: [("critical", 100_000)])
          await Task.yield()
        }
      }
      for await state in monitor.watch(.everything) {
        times.append(state.readTime)
        if state.causes.count == zones { break }
      }
      group.cancelAll()
    }
    // Reading takes a moment, which only makes a gap longer. The tolerance of 1 ms is for adjustments of the wall
    // clock.
    let gaps = zip(times.dropFirst(), times).map { $0.nanoseconds(since: $1) }
    #expect(gaps.allSatisfy { $0 >= intervals.least - 1_000_000 }, "\(gaps)")
  }

  /// While the system cannot create a thread, the state has a fault that says so, and the monitor tries again. The
  /// fault goes away once the monitor has a thread.
  @Test func withoutAThreadTheStateHasAFaultAndTheMonitorTriesAgain() async throws {
    let attempts = Mutex(0)
    let hasThreads = Mutex(false)
    let monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil, intervals: PressureMonitor.Intervals(cool: 1_000_000, warm: 1_000_000, least: 0, retry: 1_000_000),
      startThread: { body throws(CaptureError) in
        attempts.withLock { $0 += 1 }
        guard hasThreads.withLock({ $0 }) else {
          throw CaptureError(.processingFailed, "The system cannot create a thread.")
        }
        try WorkerThread.start(name: "pressure", body)
      })
    try await withThrowingTaskGroup { group in
      group.addTask { await monitor.run() }
      try await until { attempts.withLock({ $0 }) >= 3 }
      #expect(monitor.current.readings.faults == ["system pressure is not watched: The system cannot create a thread."])
      #expect(monitor.current.readings.zones.count == 1)
      tree.setTemperature(ofZone: 0, 101_000)
      hasThreads.withLock { $0 = true }
      for await state in monitor.watch() where state.level == .critical {
        #expect(state.readings.faults == [])
        break
      }
      group.cancelAll()
    }
  }

  /// Cancelling the task ends the wait for the next attempt, which would otherwise last an hour here.
  @Test func withoutAThreadTheRunEndsWhenItIsCancelled() async throws {
    let monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil, intervals: PressureMonitor.Intervals(retry: 3_600_000_000_000),
      startThread: { _ throws(CaptureError) in
        throw CaptureError(.processingFailed, "The system cannot create a thread.")
      })
    try await withThrowingTaskGroup { group in
      group.addTask { await monitor.run() }
      try await until { !monitor.current.readings.faults.isEmpty }
      group.cancelAll()
    }
    var watcher = monitor.watch().makeAsyncIterator()
    _ = await watcher.next()
    #expect(await watcher.next() == nil)
  }

  /// Cooling devices take a few files for each processor. The monitor reads these files rarely while the machine is
  /// cool, and with every reading while the machine is warm.
  @Test func coolingDevicesAreReadRarelyUntilTheMachineIsWarm() async throws {
    tree.makePC()
    let monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil,
      intervals: PressureMonitor.Intervals(cool: 1_000_000, warm: 1_000_000, least: 0, cooling: 3_600_000_000_000))
    try await withThrowingTaskGroup { group in
      group.addTask { await monitor.run() }
      let start = monitor.current.readTime
      try await until { monitor.current.readTime != start }
      // The monitor has read the cooling devices once by now, and does not read them again within the hour.
      tree.write("class/thermal/cooling_device0/cur_state", "5\n")
      let written = WallInstant.now()
      try await until { monitor.current.readTime > written }
      #expect(monitor.current.readings.coolingDevices.first?.state == 0)
      // At 71 °C the zone is at most 10 °C below the threshold of fair, so the model is warm.
      tree.setTemperature(ofZone: 0, 71_000)
      try await until { monitor.current.readings.coolingDevices.first?.state == 5 }
      #expect(monitor.current.level == .nominal)
      group.cancelAll()
    }
  }

  /// Watchers hear of throttling at once, although the machine is cool. Only the throttle counter shows the throttling
  /// here, and the monitor does not read the other files for cooling again within the hour.
  @Test func watchersHearOfThrottlingAtOnceWhileCool() async throws {
    tree.makePC()
    let monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil,
      intervals: PressureMonitor.Intervals(cool: 1_000_000, warm: 1_000_000, least: 0, cooling: 3_600_000_000_000))
    try await withThrowingTaskGroup { group in
      group.addTask { await monitor.run() }
      var watcher = monitor.watch().makeAsyncIterator()
      #expect(await watcher.next()?.level == .nominal)
      let start = monitor.current.readTime
      try await until { monitor.current.readTime != start }
      tree.write("devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "8\n")
      let state = await watcher.next()
      #expect(state?.causes.map(\.source) == ["thermal_throttle"] && state?.level == .fair)
      group.cancelAll()
    }
  }

  /// The history has each reading at the wall-clock time at which the monitor read.
  @Test func readingsAreRecordedAtTheirTime() throws {
    let monitor = monitor()
    let time = monitor.current.readTime
    let point = try #require(monitor.history(in: time..<time + 1, atMost: 1).first)
    #expect(point.temperatures.map(\.maximum) == [42_000])
    #expect(monitor.history(in: 0..<1, atMost: 1).isEmpty)
  }
}
