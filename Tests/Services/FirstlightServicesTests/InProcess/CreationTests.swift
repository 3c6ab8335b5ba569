import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import SyntheticCapture
import Testing

/// One call creates a running session, or fails and leaves no session.
@Suite(.timeLimit(.minutes(1))) struct CreationTests {
  private typealias Configuration = Firstlight_V1_SessionConfiguration

  @Test func oneCallLeadsToARunningSession() async throws {
    try await InProcessDaemon.run { daemon in
      let created = try await daemon.createSession(.small(), id: "mine", start: true)
      #expect(created.name == "sessions/mine")
      #expect(created.state == .running)
      #expect(created.configuration == .small())
      #expect(try await daemon.session(created.name) == created)
      #expect(try await daemon.sessionNames() == [created.name])
    }
  }

  @Test func aNewSessionIsStoppedAndEmptyAndItsNameIsTaken() async throws {
    try await InProcessDaemon.run { daemon in
      let created = try await daemon.createSession(id: "made-by-hand")
      #expect(created.state == .stopped)
      #expect(created.configuration.inputs.isEmpty)
      #expect(try await daemon.session(created.name) == created)
      #expect(try await daemon.refusalOfCreation(id: "made-by-hand").summary == "ALREADY_EXISTS SESSION_EXISTS")
      try await daemon.delete(created.name)
      #expect(try await daemon.sessionNames() == [])
    }
  }

  @Test func theServerMakesAnIDWhenNoneIsGiven() async throws {
    try await InProcessDaemon.run { daemon in
      var names: Set<String> = []
      for _ in 0..<3 { names.insert(try await daemon.createSession().name) }
      #expect(names.count == 3)
      #expect(names.allSatisfy { $0.hasPrefix("sessions/") })
    }
  }

  @Test func aSessionCreatedWithAConfigurationIsAsOneConfiguredLater() async throws {
    try await InProcessDaemon.run { daemon in
      let created = try await daemon.createSession(.small())
      #expect(created.state == .stopped)
      let later = try await daemon.configure(try await daemon.createSession().name, .small()).session
      #expect(created.configuration == later.configuration)
      #expect(created.resolvedConfiguration == later.resolvedConfiguration)
      #expect(created.outputCapabilities == later.outputCapabilities)
      #expect(created.costComponents == later.costComponents)
      #expect(created.configRevision == later.configRevision)
      #expect(!created.etag.isEmpty)
      #expect(try await daemon.start(created.name).state == .running)
    }
  }

  /// Configurations that no commit takes, with the fields at fault, the code and, where it is another one, the reason.
  private static let commits: [(Configuration, [String], String)] = [
    (.small { $0.inputs[0].device = "devices/nowhere" }, ["inputs[0].device"], "NOT_FOUND DEVICE_NOT_FOUND"),
    (.small { $0.inputs[0].device = "nowhere" }, ["inputs[0].device"], "INVALID_ARGUMENT"),
    (
      .small { ($0.inputs[0].format.width, $0.inputs[0].format.height) = (641, 7) }, ["inputs[0].format"],
      "FAILED_PRECONDITION FORMAT_NOT_SUPPORTED"
    ),
    (.small { $0.preset = .UNRECOGNIZED(99) }, ["preset"], "INVALID_ARGUMENT"),
    (.small { $0.photo.zeroShutterLagWindow.seconds = 60 }, ["photo.zero_shutter_lag_window"], "INVALID_ARGUMENT"),
    (
      .small { ($0.photo.zeroShutterLagEnabled, $0.photo.responsiveCaptureEnabled) = (false, true) },
      ["photo.responsive_capture_enabled"], ""
    ),
    (.small { $0.inputs.append($0.inputs[0]) }, ["inputs[1].device"], "INVALID_ARGUMENT INVALID_ARGUMENT"),
  ]

  /// A creation tells the error that a commit tells, and names the same fields.
  @Test(arguments: commits.indices, [false, true])
  func aConfigurationThatIsRefusedLeavesNoSession(_ index: Int, start: Bool) async throws {
    let (configuration, fields, summary) = Self.commits[index]
    try await InProcessDaemon.run { daemon in
      let expected = try await daemon.refusalOfConfigure(
        try await daemon.createSession(id: "other").name, configuration)
      #expect(expected.fields == fields.map { "configuration.\($0)" })
      #expect(expected.summary.hasPrefix(summary))
      #expect(expected.retryDelay == nil, "waiting does not help")
      let error = try await daemon.refusalOfCreation(configuration, id: "mine", start: start)
      #expect(error.summary == expected.summary)
      #expect(error.fields == expected.fields)
      #expect(error.metadata.filter { $0.key != "session" } == expected.metadata.filter { $0.key != "session" })
      #expect(try await daemon.sessionNames() == ["sessions/other"])
      _ = try await daemon.createSession(id: "mine")
    }
  }

  /// Configurations that a commit takes and a start does not, with the reason.
  private static let starts: [(Configuration?, String)] = [
    (
      .small {
        ($0.inputs[0].format.width, $0.inputs[0].format.height) = (3840, 2160)
        $0.inputs[0].frameRateOverride.numerator = 60
      }, "HARDWARE_COST_EXCEEDED"
    ),
    (
      .small {
        $0.clearPreview()
        $0.clearPhoto()
      }, "NO_OUTPUT"
    ),
    (.with { $0.preview = .init() }, "NO_INPUT"),
    (nil, "NO_INPUT"),
  ]

  @Test(arguments: starts.indices) func aStartThatIsRefusedLeavesNoSession(_ index: Int) async throws {
    let (configuration, reason) = Self.starts[index]
    try await InProcessDaemon.run { daemon in
      let error = try await daemon.refusalOfCreation(configuration, id: "mine", start: true)
      #expect(error.summary == "FAILED_PRECONDITION \(reason)")
      #expect(error.retryDelay == nil)
      #expect(try await daemon.sessionNames() == [])
      let stopped = try await daemon.createSession(configuration)
      let expected = try await daemon.refusalOfStart(stopped.name)
      #expect(error.summary == expected.summary)
      #expect(error.fields == expected.fields)
      #expect(try await daemon.createSession(.small(), start: true).state == .running, "the camera is free")
    }
  }

  @Test func aCameraInUseLeavesNoSession() async throws {
    try await InProcessDaemon.run { daemon in
      let holder = try await daemon.createSession(.small(), start: true)
      let error = try await daemon.refusalOfCreation(.small(), id: "mine", start: true)
      #expect(error.summary == "UNAVAILABLE DEVICE_IN_USE")
      #expect(error.retryDelay != nil, "waiting may help")
      #expect(holder.name == "sessions/\(error.metadata["session"] ?? "")")
      #expect(try await daemon.sessionNames() == [holder.name])
      #expect(try await daemon.session(holder.name).state == .running)
      try await daemon.stop(holder.name)
      #expect(try await daemon.createSession(.small(), id: "mine", start: true).state == .running)
    }
  }

  @Test func anIDThatIsTakenLeavesItsSessionAlone() async throws {
    try await InProcessDaemon.run { daemon in
      let before = try await daemon.createSession(.small(), id: "mine", start: true)
      let error = try await daemon.refusalOfCreation(Self.commits[0].0, id: "mine", start: true)
      #expect(error.summary == "ALREADY_EXISTS SESSION_EXISTS")
      #expect(error.retryDelay == nil)
      #expect(try await daemon.session(before.name) == before)
    }
  }

  /// A creation that failed takes no place among the sessions, whose number is limited.
  @Test func creationsThatFailedTakeNoPlaceAndOneTooManyIsRefused() async throws {
    try await InProcessDaemon.run { daemon in
      for _ in 0..<70 {
        let error = try await daemon.refusalOfCreation(Self.starts[1].0, start: true)
        #expect(error.reason == "NO_OUTPUT")
      }
      for _ in 0..<64 { _ = try await daemon.createSession() }
      let error = try await daemon.refusalOfCreation()
      #expect(error.summary == "RESOURCE_EXHAUSTED TOO_MANY_REQUESTS")
      #expect(error.retryDelay != nil)
    }
  }

  @Test func ofManyCreationsWithOneIDExactlyOneWins() async throws {
    try await InProcessDaemon.run { daemon in
      let outcomes = await withTaskGroup(of: String.self) { group in
        for _ in 0..<8 {
          group.addTask {
            do { return "\(try await daemon.createSession(.small(), id: "mine", start: true).state)" } catch {
              return (error as? RPCError)?.reason ?? "\(error)"
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.sorted() == Array(repeating: "SESSION_EXISTS", count: 7) + ["running"])
      let session = try await daemon.session("sessions/mine")
      #expect(session.state == .running)
    }
  }

  /// A configuration cannot name a camera that is absent.
  @Test func aCameraThatIsUnpluggedLeavesNoSession() async throws {
    try await InProcessDaemon.run { daemon in
      try daemon.cameras.faults.unplug("synthetic-0")
      let error = try await daemon.refusalOfCreation(.small(), id: "gone", start: true)
      #expect(error.summary == "NOT_FOUND DEVICE_NOT_FOUND")
      #expect(try await daemon.sessionNames() == [])
      try daemon.cameras.faults.replug("synthetic-0")
      #expect(try await daemon.createSession(.small(), id: "gone", start: true).state == .running)
    }
  }

  @Test func pressureAtShutdownLeavesNoSession() async throws {
    try await InProcessDaemon.run { daemon in
      try await daemon.simulate(.shutdown)
      let error = try await daemon.refusalOfCreation(.small(), id: "hot", start: true)
      #expect(error.summary == "UNAVAILABLE SYSTEM_PRESSURE")
      #expect(error.metadata["sources"] == "drill")
      #expect(error.retryDelay != nil)
      #expect(try await daemon.sessionNames() == [])
      try await daemon.simulate(.nominal)
      #expect(try await daemon.createSession(.small(), id: "hot", start: true).state == .running)
    }
  }

  /// A preview that waits for a session while a client creates it ends when the creation fails.
  @Test func aPreviewOfACreationThatFailsIsToldThatThereIsNoSession() async throws {
    try await InProcessDaemon.run { daemon in
      // The camera takes long enough for the test to open a preview and to unplug it meanwhile.
      try daemon.cameras.faults.slowStart("synthetic-0", by: .seconds(2))
      async let refusal = daemon.refusalOfCreation(.small(), id: "in-vain", start: true)
      while try await daemon.sessionNames().isEmpty {}
      // The session is listed before it is configured, and starts afterwards.
      while try await daemon.session("sessions/in-vain").state != .starting {}
      let preview: ResponseStream<Firstlight_V1_StreamPreviewResponse> = try daemon.stream(
        Firstlight_V1_PreviewService.streamPreview,
        Firstlight_V1_StreamPreviewRequest.with { $0.session = "sessions/in-vain" })
      try daemon.cameras.faults.unplug("synthetic-0")
      #expect(try await refusal.reason == "DEVICE_DISCONNECTED")
      #expect(try await preview.error().summary == "NOT_FOUND SESSION_NOT_FOUND")
      #expect(try await daemon.sessionNames() == [])
    }
  }
}
