import CaptureCore
import CaptureTestKit
import Logging
import Synchronization
import SystemClocks
import Testing

@testable import SystemPressure

/// Each test waits for events; the limit is for an event that never comes.
@Suite(.timeLimit(.minutes(2)))
struct PressureMonitorTests {
  private let tree = SysfsTree()

  init() {
    tree.makeZone(
      0, type: "cpu-thermal", millidegrees: 42_000,
      trips: [("passive", 85_000), ("hot", 100_000), ("critical", 120_000)])
  }

  private func monitor() -> PressureMonitor {
    PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil,
      intervals: PressureMonitor.Intervals(
        cool: 1_000_000, warm: 1_000_000, least: 0, cameraPatience: 3_600_000_000_000))
  }

  /// Looks until it holds, or until the test is over: what the state says is told to nobody.
  private func until(_ holds: () -> Bool) async throws {
    while !holds() { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func theStateIsTrueFromTheStart() {
    tree.setTemperature(ofZone: 0, 101_000)
    let state = monitor().current
    #expect(state.level == .critical)
    #expect(state.readings.zones.map(\.millidegrees) == [101_000])
    #expect(state.readTime > 0)
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

  @Test func eachWatcherHearsOfWhatItIsAbout() async {
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
      #expect(await machine.next()?.level == .critical, "nothing before was about the machine")
      #expect(monitor.history(in: .epoch ..< .distantFuture, atMost: 1).map(\.bestLevel) == [.nominal])
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
      // One watcher is told after the other; once the run has ended, all were.
      group.cancelAll()
      await group.waitForAll()
      #expect(await slow.next()?.level == .shutdown)
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

  /// The next reading is an hour away, so that only the drill itself can be what is told.
  @Test func aDrillIsToldAtOnceAndEndsByItself() async {
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
      // In its place, and over before long: a slow reader may miss it, but not its end.
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

  /// Same level, same factor, and no drill any more: who passes over drills must hear of it.
  @Test func heatThatJoinsADrillIsTold() async {
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

  /// A storm of changes: each reading finds more zones hot than the one before.
  @Test func watchersHearOfNoMoreThanFourReadingsASecondAndOfTheLast() async {
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
    // Reading itself takes a moment, which only makes the gap longer; a millisecond for the clock's own adjustments.
    let gaps = zip(times.dropFirst(), times).map { $0.nanoseconds(since: $1) }
    #expect(gaps.allSatisfy { $0 >= intervals.least - 1_000_000 }, "\(gaps)")
  }

  @Test func withoutAThreadTheStateSaysSoAndAnotherTryIsMade() async throws {
    let attempts = Mutex(0)
    let hasThreads = Mutex(false)
    let monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil, intervals: PressureMonitor.Intervals(cool: 1_000_000, warm: 1_000_000, least: 0, retry: 1_000_000),
      startThread: { body throws(CaptureError) in
        attempts.withLock { $0 += 1 }
        guard hasThreads.withLock({ $0 }) else {
          throw CaptureError(.processingFailed, "The system gives no thread.")
        }
        try WorkerThread.start(name: "pressure", body)
      })
    try await withThrowingTaskGroup { group in
      group.addTask { await monitor.run() }
      try await until { attempts.withLock({ $0 }) >= 3 }
      #expect(monitor.current.readings.faults == ["system pressure is not watched: The system gives no thread."])
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

  @Test func withoutAThreadTheRunEndsWhenItIsCancelled() async throws {
    let monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil, intervals: PressureMonitor.Intervals(retry: 3_600_000_000_000),
      startThread: { _ throws(CaptureError) in throw CaptureError(.processingFailed, "The system gives no thread.") })
    try await withThrowingTaskGroup { group in
      group.addTask { await monitor.run() }
      try await until { !monitor.current.readings.faults.isEmpty }
      group.cancelAll()
    }
    var watcher = monitor.watch().makeAsyncIterator()
    _ = await watcher.next()
    #expect(await watcher.next() == nil)
  }

  /// A few files for each processor are read rarely while all is cool, and each time when it is not.
  @Test func whatTheKernelCoolsWithIsReadRarelyUntilItIsWarm() async throws {
    tree.makePC()
    let monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil,
      intervals: PressureMonitor.Intervals(cool: 1_000_000, warm: 1_000_000, least: 0, cooling: 3_600_000_000_000))
    try await withThrowingTaskGroup { group in
      group.addTask { await monitor.run() }
      let start = monitor.current.readTime
      try await until { monitor.current.readTime != start }
      // Read once by now, and not again within the hour.
      tree.write("class/thermal/cooling_device0/cur_state", "5\n")
      let written = WallInstant.now()
      try await until { monitor.current.readTime > written }
      #expect(monitor.current.readings.coolingDevices.first?.state == 0)
      // Ten degrees below fair.
      tree.setTemperature(ofZone: 0, 71_000)
      try await until { monitor.current.readings.coolingDevices.first?.state == 5 }
      #expect(monitor.current.level == .nominal)
      group.cancelAll()
    }
  }

  /// Nothing else tells of it here, and the other files are not read again within the hour.
  @Test func throttlingIsToldAtOnceThoughAllIsCool() async throws {
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

  @Test func readingsAreRecordedAtTheirTime() throws {
    let monitor = monitor()
    let time = monitor.current.readTime
    let point = try #require(monitor.history(in: time..<time + 1, atMost: 1).first)
    #expect(point.temperatures.map(\.maximum) == [42_000])
    #expect(monitor.history(in: 0..<1, atMost: 1).isEmpty)
  }
}
