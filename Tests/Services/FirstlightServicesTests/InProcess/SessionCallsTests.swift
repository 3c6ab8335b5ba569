import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import Testing

/// The states of a session, its etag and its events, as a client sees them.
@Suite(.timeLimit(.minutes(1))) struct SessionCallsTests {
  private typealias Configuration = Firstlight_V1_SessionConfiguration

  /// StartSession has an error of its own for a session without an input and for one without an output.
  @Test(arguments: [
    (Configuration(), "NO_INPUT", "input, output"),
    (.small { ($0.inputs) = [] }, "NO_INPUT", "input"),
    (
      .small {
        $0.clearPreview()
        $0.clearPhoto()
      }, "NO_OUTPUT", "output"
    ),
  ]) func aSessionNeedsAnInputAndAnOutput(
    _ configuration: Firstlight_V1_SessionConfiguration, _ reason: String, _ missing: String
  ) async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await daemon.createSession(configuration).name
      let error = try await daemon.refusalOfStart(name)
      #expect(error.summary == "FAILED_PRECONDITION \(reason)")
      #expect(error.metadata["missing"] == missing)
      #expect(error.retryDelay == nil)
      #expect(try await daemon.session(name).state == .stopped)
      try await daemon.configure(name, .small())
      #expect(try await daemon.start(name).state == .running)
    }
  }

  @Test func aDeviceIsClaimedFromStartToStopOrToDeletion() async throws {
    try await InProcessDaemon.run { daemon in
      let names = [try await daemon.createSession(.small()).name, try await daemon.createSession(.small()).name]
      for (holder, waiting) in [(0, 1), (1, 0), (0, 1)] {
        try await daemon.start(names[holder])
        let error = try await daemon.refusalOfStart(names[waiting])
        #expect(error.summary == "UNAVAILABLE DEVICE_IN_USE")
        #expect(error.metadata["device"] == "synthetic-0")
        #expect(error.retryDelay != nil)
        #expect(try await daemon.session(names[waiting]).state == .stopped)
        try await daemon.stop(names[holder])
      }
      try await daemon.start(names[1])
      try await daemon.delete(names[1])
      #expect(try await daemon.start(names[0]).state == .running)
    }
  }

  @Test func aRunningSessionHearsBeforehandThatACameraIsTaken() async throws {
    try await InProcessDaemon.run { daemon in
      let running = try await daemon.createSession(.small(), start: true).name
      let holder = try await daemon.createSession(.small(1), start: true).name
      let issues = try await daemon.configure(running, .small(1), validateOnly: true).issues
      #expect(issues.map(\.field) == ["configuration.inputs[0].device"])
      #expect(issues.map(\.reason) == ["DEVICE_IN_USE"])
      try await daemon.stop(holder)
      #expect(try await daemon.configure(running, .small(1), validateOnly: true).issues == [])
    }
  }

  @Test(
    arguments: [
      (Firstlight_V1_SessionPreset.hd720P, 1280, 720), (.hd1080P, 1920, 1080), (.hd4K, 3840, 2160), (.high, 1920, 1080),
    ] as [(Firstlight_V1_SessionPreset, UInt32, UInt32)])
  func thePresetPicksTheSize(_ preset: Firstlight_V1_SessionPreset, _ width: UInt32, _ height: UInt32) async throws {
    try await InProcessDaemon.run { daemon in
      let configuration = Configuration.with {
        $0.preset = preset
        $0.inputs = [.with { $0.device = "devices/synthetic-0" }]
        $0.preview = .init()
      }
      let chosen = try await daemon.createSession(configuration).resolvedConfiguration.inputs[0].format
      #expect((chosen.width, chosen.height) == (width, height))
    }
  }

  @Test func anExplicitFormatMeansInputPriorityWhichNeedsOne() async throws {
    try await InProcessDaemon.run { daemon in
      let session = try await daemon.createSession(.small { $0.inputs[0].format.pixelFormat = "YUYV" })
      #expect(session.resolvedConfiguration.preset == .inputPriority)
      #expect(session.resolvedConfiguration.inputs[0].format.pixelFormat == "YUYV")
      let error = try await daemon.refusalOfConfigure(
        session.name,
        .small {
          $0.preset = .inputPriority
          $0.inputs[0].clearFormat()
        })
      #expect(error.code == .invalidArgument)
    }
  }

  /// A check tells all that is wrong; a commit that is refused changes nothing, and tells nobody.
  @Test(arguments: [false, true]) func aCommitThatIsRefusedLeavesEveryByte(isRunning: Bool) async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await daemon.createSession(.small(), start: isRunning).name
      _ = try await daemon.createSession(.small(1), start: true)
      let before = try await daemon.session(name)
      let events = try daemon.watchSession(name)
      let (window, camera) = ("configuration.photo.zero_shutter_lag_window", "configuration.inputs[0].device")

      let good = try await daemon.configure(
        name, .small { $0.inputs[0].frameRateOverride.numerator = 10 }, validateOnly: true)
      #expect(good.issues.isEmpty)
      #expect(good.session.resolvedConfiguration.inputs[0].frameRateOverride.numerator == 10)
      let bad = Configuration.small {
        $0.inputs[0].device = "devices/nowhere"
        $0.photo.zeroShutterLagWindow.seconds = 60
      }
      let issues = try await daemon.configure(name, bad, validateOnly: true).issues
      #expect(
        Set(issues.map { "\($0.field) \($0.reason)" }) == ["\(camera) DEVICE_NOT_FOUND", "\(window) INVALID_ARGUMENT"])
      let refused = try await daemon.refusalOfConfigure(name, bad)
      #expect(Set(refused.fields) == [camera, window], "a commit tells all, too")

      if isRunning {
        #expect(try await daemon.refusalOfConfigure(name, .small(1)).summary == "UNAVAILABLE DEVICE_IN_USE")
      }
      let long = try await daemon.refusalOfConfigure(name, .small { $0.photo.zeroShutterLagWindow.seconds = 60 })
      #expect(long.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(long.fields == [window])
      let stale = try await daemon.refusalOfConfigure(name, .small { $0.clearPhoto() }, etag: "stale")
      #expect(stale.summary == "ABORTED ETAG_MISMATCH")
      #expect(stale.retryDelay == nil)
      #expect(try await daemon.session(name) == before)
      try await daemon.configure(name, .small())
      #expect(try await daemon.session(name) == before, "an equal commit is none")
      try await daemon.delete(name)
      #expect(try await events.error().summary == "NOT_FOUND SESSION_NOT_FOUND")
    }
  }

  @Test func noCommitIsToldThatWasRefusedOrEqual() async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await daemon.createSession(.small()).name
      let events = try await daemon.followSession(name)
      _ = try await daemon.refusalOfConfigure(name, .small { $0.preset = .UNRECOGNIZED(99) })
      try await daemon.configure(name, .small())
      try await daemon.configure(name, .small { $0.clearPhoto() })
      let told = try await events.through {
        if case .configurationCommitted = $0.event.event { true } else { false }
      }.map(\.event)
      #expect(told.count == 1, "the commit alone")
      #expect(told.last?.configurationCommitted.configRevision == 2)
    }
  }

  @Test func theEtagChangesWithTheConfigurationAlone() async throws {
    try await InProcessDaemon.run { daemon in
      let first = try await daemon.createSession(.small())
      let name = first.name
      try await daemon.start(name)
      #expect(try await daemon.session(name).etag == first.etag)
      let same = try await daemon.configure(name, first.configuration)
      #expect(same.session.etag == first.etag && !same.reconfigured)
      #expect(same.session.configRevision == first.configRevision)
      let second = try await daemon.configure(
        name, .small { $0.inputs[0].frameRateOverride.numerator = 10 }, etag: first.etag)
      #expect(second.session.etag != first.etag && second.reconfigured)
      let stale = "ABORTED ETAG_MISMATCH"
      #expect(try await daemon.refusalOfConfigure(name, first.configuration, etag: first.etag).summary == stale)
      let stop = try await daemon.refusal(
        of: Firstlight_V1_SessionService.stopSession,
        Firstlight_V1_StopSessionRequest.with { ($0.name, $0.etag) = (name, first.etag) })
      #expect(stop.summary == stale)
      let deletion = try await daemon.refusal(
        of: Firstlight_V1_SessionService.deleteSession,
        Firstlight_V1_DeleteSessionRequest.with { ($0.name, $0.etag) = (name, first.etag) })
      #expect(deletion.summary == stale)
      #expect(try await daemon.session(name) == second.session)
    }
  }

  @Test func startAndStopMayBeRepeatedAndEventsTellTheLifeInOrder() async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await daemon.createSession(.small()).name
      let stream = try daemon.watchSession(name)
      let snapshot = try #require(try await stream.next()).event
      #expect(snapshot.snapshot.name == name)
      for _ in 0..<2 { #expect(try await daemon.start(name).state == .running) }
      for _ in 0..<2 { #expect(try await daemon.stop(name).state == .stopped) }
      let told = try await stream.events(until: .stopped)
      #expect(told.states == [.starting, .running, .stopping, .stopped])
      let ids = told.map(\.eventID)
      #expect(Set(ids).count == ids.count && !ids.contains(""))
      let again = try daemon.watchSession(name, after: snapshot.eventID)
      #expect(try await again.take(told.count).map(\.event) == told)
      try await daemon.delete(name)
      #expect(try await stream.error().summary == "NOT_FOUND SESSION_NOT_FOUND")
    }
  }
}
