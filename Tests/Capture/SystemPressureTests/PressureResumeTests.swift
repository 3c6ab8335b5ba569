import CaptureCore
import Logging
import Testing

@testable import SystemPressure

/// Watchers that come back after their stream broke off. Each test waits for events; the time limit is for an event
/// that never comes.
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

  /// Heats the zone through the levels up to critical, and returns the updates that a watcher got, the present state
  /// first.
  private func heat() async -> [PressureUpdate] {
    var watcher = monitor.updates(of: .machine).makeAsyncIterator()
    var told = [await watcher.next()].compactMap(\.self)
    for millidegrees in [82_000, 88_000, 101_000] {
      tree.setTemperature(ofZone: 0, millidegrees)
      if let update = await watcher.next() { told.append(update) }
    }
    return told
  }

  /// A watcher that names its last update gets the updates after it, and then each new one, none twice. Only the newest
  /// of the missed updates has its readings.
  @Test func missedUpdatesAreSentAgain() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { [monitor] in await monitor.run() }
      let told = await heat()
      #expect(told.map(\.state.level) == [.nominal, .fair, .serious, .critical])
      let (missed, next) = try monitor.updates(of: .machine, after: told[1].number)
      #expect(missed.map(\.number) == told[2...].map(\.number))
      #expect(missed.map(\.state.level) == [.serious, .critical])
      #expect(missed.map(\.state.causes) == told[2...].map(\.state.causes))
      #expect(missed.map(\.state.readings.zones.count) == [0, 1], "only the newest update has its readings")

      var later = next.makeAsyncIterator()
      tree.setTemperature(ofZone: 0, 116_000)
      #expect(await later.next()?.state.level == .shutdown, "the next update, and none twice")
      group.cancelAll()
    }
  }

  /// A watcher that names the newest update as its last one gets only updates that come later.
  @Test func aWatcherThatMissedNothingGetsNoOldUpdates() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { [monitor] in await monitor.run() }
      let told = await heat()
      let (missed, _) = try monitor.updates(of: .machine, after: told[3].number)
      #expect(missed.isEmpty)
      group.cancelAll()
    }
  }

  /// A change of one camera counts as missed for watchers of that camera and of everything, not for watchers of the
  /// machine or of another camera.
  @Test func aChangeOfACameraIsMissedOnlyByItsWatchers() async throws {
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

  /// The monitor refuses event ids of another run of the daemon and numbers that it has not reached, so that a client
  /// learns that it may have missed changes.
  @Test func eventIDsOfAnotherRunAreRefused() throws {
    #expect(try monitor.number(of: monitor.eventID(1)) == 1)
    let error = #expect(throws: CaptureError.self) { try monitor.number(of: EventLog<Int>().eventID(1)) }
    #expect(error?.reason == .eventsLost)
    #expect(throws: CaptureError.self) { try monitor.updates(of: .machine, after: 2) }
  }
}
