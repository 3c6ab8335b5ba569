import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import SyntheticCapture
import Testing

/// A session under several clients, slow cameras, interruptions, and calls that their clients abandon.
@Suite(.timeLimit(.minutes(1))) struct SessionLifeTests {
  /// Calls of many clients are served one after the other, so that the states follow the only legal order.
  @Test func callsOfManyClientsAreServedOneAfterTheOther() async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await daemon.createSession(.small()).name
      let stream = try await daemon.followSession(name)
      try await withThrowingTaskGroup { group in
        for number in 0..<32 {
          group.addTask {
            switch number % 4 {
            case 0: #expect(try await daemon.start(name).state == .running)
            case 1:
              try await daemon.configure(
                name, .small { $0.inputs[0].frameRateOverride.numerator = number % 8 == 1 ? 10 : 30 })
            case 2: _ = try await daemon.session(name)
            default: #expect(try await daemon.stop(name).state == .stopped)
            }
          }
        }
        try await group.waitForAll()
      }
      let revision = try await daemon.session(name).configRevision
      try await daemon.delete(name)
      var (told, revisions) = ([Firstlight_V1_Session.State.stopped], [UInt64]())
      do {
        for try await response in stream {
          switch response.event.event {
          case .stateChanged(let change): told.append(change.sessionState)
          case .configurationCommitted(let commit): revisions.append(UInt64(commit.configRevision))
          default: break
          }
        }
      } catch {}
      let moves = Set(zip(told, told.dropFirst()).map { "\($0) \($1)" })
      #expect(
        moves.isSubset(of: [
          "stopped starting", "starting running", "starting stopped", "running stopping", "stopping stopped",
        ]))
      #expect(revisions == Array(2..<2 + UInt64(revisions.count)))
      #expect(revision == 1 + UInt64(revisions.count))
    }
  }

  /// A client that goes away does not leave a session half-way.
  @Test func aCancelledStartRunsToItsEnd() async throws {
    try await InProcessDaemon.run { daemon in
      try daemon.cameras.faults.slowStart("synthetic-0", by: .seconds(2))
      let name = try await daemon.createSession(.small()).name
      let stream = try await daemon.followSession(name)
      let start: ResponseStream<Firstlight_V1_StartSessionResponse> = try daemon.stream(
        Firstlight_V1_SessionService.startSession, Firstlight_V1_StartSessionRequest.with { $0.name = name })
      _ = try await stream.events(until: .starting)
      start.cancel()
      #expect(try await daemon.session(name).state == .starting)
      #expect(try await daemon.stop(name).state == .stopped, "the stop waits for its turn")
      #expect(try await stream.events(until: .stopped).states == [.running, .stopping, .stopped])
    }
  }

  @Test func aCameraThatIsUnpluggedIsWorthWaitingFor() async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await daemon.createSession(.small()).name
      try daemon.cameras.faults.unplug("synthetic-0")
      let error = try await daemon.refusalOfStart(name)
      #expect(error.summary == "UNAVAILABLE DEVICE_DISCONNECTED")
      #expect(error.retryDelay != nil)
    }
  }

  @Test func anInterruptionTellsInItsEventHowLongToWaitAndEndsByItself() async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await daemon.createSession(.small(), start: true).name
      let stream = try await daemon.followSession(name)
      try await daemon.simulate(.shutdown)
      let told = try await stream.events(until: .interrupted)
      let interruptions = told.compactMap { event in
        if case .wasInterrupted(let interruption) = event.event { interruption } else { nil }
      }
      #expect(interruptions.map(\.interruptionReason) == [.systemPressure])
      let error = try #require(interruptions.first).error
      #expect(error.reason == "SYSTEM_PRESSURE")
      #expect(error.hasRetryInfo)
      #expect(try await daemon.session(name).interruptionReason == .systemPressure)
      try await daemon.simulate(.nominal)
      let after = try await stream.events(until: .running)
      #expect(after.contains { if case .interruptionEnded = $0.event { true } else { false } })
    }
  }

  /// A start under pressure is refused, and happens once the level has fallen, unless a client stops the session.
  @Test func aStartAtShutdownIsKeptUntilTheLevelFallsOrTheSessionIsStopped() async throws {
    try await InProcessDaemon.run { daemon in
      try await daemon.simulate(.shutdown)
      let name = try await daemon.createSession(.small()).name
      #expect(try await daemon.refusalOfStart(name).summary == "UNAVAILABLE SYSTEM_PRESSURE")
      #expect(try await daemon.session(name).interruptionReason == .systemPressure)
      #expect(try await daemon.stop(name).state == .stopped)
      // The stopped session holds the camera no more, so another one may wait for it.
      let other = try await daemon.createSession(.small()).name
      for _ in 0..<2 {
        let error = try await daemon.refusalOfStart(other)
        #expect(error.reason == "SYSTEM_PRESSURE")
        #expect(error.metadata["sources"] == "drill")
      }
      let stream = try await daemon.followSession(other)
      let preview: ResponseStream<Firstlight_V1_StreamPreviewResponse> = try daemon.stream(
        Firstlight_V1_PreviewService.streamPreview, Firstlight_V1_StreamPreviewRequest.with { $0.session = other })
      try await daemon.simulate(.nominal)
      _ = try await stream.events(until: .running)
      let told = try await preview.through { if case .frame = $0.content { true } else { false } }
      #expect(!told.isEmpty, "a viewer that waited gets pictures")
      #expect(try await daemon.session(name).state == .stopped)
    }
  }

  @Test func aStreamLearnsThatTheDaemonStops() async throws {
    try await InProcessDaemon.run { daemon in
      let devices: ResponseStream<Firstlight_V1_WatchDevicesResponse> = try daemon.stream(
        Firstlight_V1_DeviceService.watchDevices, Firstlight_V1_WatchDevicesRequest())
      let session = try daemon.watchSession(try await daemon.createSession().name)
      _ = try await (devices.next(), session.next())
      await daemon.shutDown()
      for error in [try await devices.error(), try await session.error()] {
        #expect(error.summary == "UNAVAILABLE SHUTTING_DOWN")
        #expect(error.retryDelay != nil)
      }
    }
  }
}
