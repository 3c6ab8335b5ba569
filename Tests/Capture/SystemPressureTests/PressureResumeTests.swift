import CaptureCore
import Logging
import Testing

@testable import SystemPressure

/// Watchers who come back. Each test waits for events; the limit is for an event that never comes.
@Suite(.timeLimit(.minutes(2)))
struct PressureResumeTests {
  private let tree = SysfsTree()
  private let monitor: PressureMonitor

  init() {
    tree.makeZone(
      0, type: "cpu-thermal", millidegrees: 42_000,
      trips: [("passive", 85_000), ("hot", 100_000), ("critical", 120_000)])
    monitor = PressureMonitor(
      reader: PressureReader(sysfsRoot: tree.root, procfsRoot: tree.path("proc")), logger: Logger(label: "test"),
      events: nil,
      intervals: PressureMonitor.Intervals(
        cool: 1_000_000, warm: 1_000_000, least: 0, cameraPatience: 3_600_000_000_000))
  }

  /// Heats through all levels; gives what a watcher was told.
  private func heat() async -> [PressureUpdate] {
    var watcher = monitor.updates(of: .machine).makeAsyncIterator()
    var told = [await watcher.next()].compactMap(\.self)
    for millidegrees in [82_000, 88_000, 101_000] {
      tree.setTemperature(ofZone: 0, millidegrees)
      if let update = await watcher.next() { told.append(update) }
    }
    return told
  }

  @Test func whatWasMissedIsToldAgain() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { [monitor] in await monitor.run() }
      let told = await heat()
      #expect(told.map(\.state.level) == [.nominal, .fair, .serious, .critical])
      let (missed, next) = try monitor.updates(of: .machine, after: told[1].number)
      #expect(missed.map(\.number) == told[2...].map(\.number))
      #expect(missed.map(\.state.level) == [.serious, .critical])
      #expect(missed.map(\.state.causes) == told[2...].map(\.state.causes))
      #expect(missed.map(\.state.readings.zones.count) == [0, 1], "only the newest has its readings")

      var later = next.makeAsyncIterator()
      tree.setTemperature(ofZone: 0, 116_000)
      #expect(await later.next()?.state.level == .shutdown, "what comes next, and nothing twice")
      group.cancelAll()
    }
  }

  @Test func whoMissedNothingIsToldNothing() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { [monitor] in await monitor.run() }
      let told = await heat()
      let (missed, _) = try monitor.updates(of: .machine, after: told[3].number)
      #expect(missed.isEmpty)
      group.cancelAll()
    }
  }

  @Test func whatIsAboutACameraIsMissedByNobodyElse() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { [monitor] in await monitor.run() }
      var everything = monitor.updates(of: .everything).makeAsyncIterator()
      let first = try #require(await everything.next())
      monitor.setCameras([CameraTemperature(device: "cam", control: "t", millidegrees: 80_000)])
      let second = try #require(await everything.next())
      #expect(second.state.level == .serious)
      #expect(try monitor.updates(of: .machine, after: first.number).missed.isEmpty)
      #expect(try monitor.updates(of: .device("other"), after: first.number).missed.isEmpty)
      #expect(try monitor.updates(of: .device("cam"), after: first.number).missed.map(\.state.level) == [.serious])
      group.cancelAll()
    }
  }

  @Test func idsOfAnotherRunAreLost() throws {
    #expect(try monitor.number(of: monitor.eventID(1)) == 1)
    let error = #expect(throws: CaptureError.self) { try monitor.number(of: EventLog<Int>().eventID(1)) }
    #expect(error?.reason == .eventsLost)
    #expect(throws: CaptureError.self) { try monitor.updates(of: .machine, after: 2) }
  }
}
