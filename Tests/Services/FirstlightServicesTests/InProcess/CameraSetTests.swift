import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import Testing

/// Configurations of several cameras, of compositions and of several movies: which there are, and what they become.
@Suite(.timeLimit(.minutes(1))) struct CameraSetTests {
  private typealias Configuration = Firstlight_V1_SessionConfiguration

  /// Cameras, each with a video data output of its own.
  private static func cameras(_ count: Int) -> Firstlight_V1_SessionConfiguration {
    .with { configuration in
      configuration.inputs = (0..<count).map { number in
        var input = Configuration.small(number).inputs[0]
        input.id = "cam-\(number)"
        return input
      }
      configuration.videoData = (0..<count).map { number in .with { $0.id = "data-\(number)" } }
      configuration.connections = (0..<count).map { number in
        .with { ($0.input, $0.output) = ("cam-\(number)", "data-\(number)") }
      }
    }
  }

  /// Two cameras and a composition of them.
  private static func composed() -> Firstlight_V1_SessionConfiguration {
    var configuration = cameras(2)
    configuration.videoData = [.with { $0.id = "data" }]
    configuration.connections = [.with { ($0.input, $0.output) = ("both", "data") }]
    configuration.inputs.append(
      .with {
        $0.id = "both"
        ($0.composition.width, $0.composition.height) = (640, 360)
        $0.composition.layers = [
          .with { ($0.input, $0.rect.width, $0.rect.height) = ("cam-0", 640, 360) },
          .with {
            ($0.input, $0.order) = ("cam-1", 1)
            ($0.rect.left, $0.rect.top, $0.rect.width, $0.rect.height) = (304, 160, 320, 180)
          },
        ]
      })
    return configuration
  }

  private func refusal(_ configuration: Configuration) async throws -> RPCError {
    try await InProcessDaemon.run {
      $0.cameras = 9
    } _: {
      try await $0.refusalOfCreation(configuration)
    }
  }

  @Test func badSetsOfCamerasAreRefused() async throws {
    var twice = Self.cameras(2)
    twice.inputs[1].device = twice.inputs[0].device
    let twiceError = try await refusal(twice)
    #expect(twiceError.code == .invalidArgument && twiceError.message.contains("named twice"))
    var named = Self.cameras(2)
    named.inputs[1].id = "cam-0"
    let namedError = try await refusal(named)
    #expect(namedError.code == .invalidArgument && namedError.fields.contains("configuration.inputs[1].id"))
    let manyError = try await refusal(Self.cameras(9))
    #expect(manyError.code == .invalidArgument && manyError.message.contains("at most 8"))
    var preset = Self.cameras(2)
    preset.preset = .hd720P
    let presetError = try await refusal(preset)
    #expect(presetError.code == .failedPrecondition && presetError.message.contains("INPUT_PRIORITY"))
    var shared = Self.cameras(2)
    shared.connections.append(.with { ($0.input, $0.output) = ("cam-1", "data-0") })
    let sharedError = try await refusal(shared)
    #expect(sharedError.code == .failedPrecondition && sharedError.message.contains("cam-0 and cam-1"))
    try await InProcessDaemon.run {
      $0.cameras = 9
    } _: { daemon in
      let session = try await daemon.createSession(Self.cameras(8))
      #expect(session.configuration.inputs.count == 8)
    }
  }

  @Test func badCompositionsAreRefusedByName() async throws {
    let changes: [(String, (inout Firstlight_V1_SessionInput) -> Void)] = [
      ("composition.layers[1].input", { $0.composition.layers[1].input = "both" }),
      ("composition.layers[1].rect", { $0.composition.layers[1].rect.left = 600 }),
      ("composition.width", { $0.composition.width = 641 }), ("composition.layers", { $0.composition.layers = [] }),
      ("device", { $0.device = "devices/synthetic-0" }), ("deferred_start_enabled", { $0.deferredStartEnabled = true }),
      ("id", { $0.id = "cam-0" }),
    ]
    try await InProcessDaemon.run { daemon in
      let session = try await daemon.createSession().name
      for (field, change) in changes {
        var configuration = Self.composed()
        change(&configuration.inputs[2])
        let error = try await daemon.refusalOfConfigure(session, configuration)
        #expect(error.code == .invalidArgument)
        #expect(error.fields.contains("configuration.inputs[2].\(field)"))
      }
      var first = Self.composed()
      first.inputs.insert(first.inputs.removeLast(), at: 0)
      let error = try await daemon.refusalOfConfigure(session, first)
      #expect(error.code == .invalidArgument && error.message.contains("name all cameras first"))
    }
  }

  @Test func aResolvedCompositionResolvesToItselfAndCountsInTheCost() async throws {
    try await InProcessDaemon.run { daemon in
      let session = try await daemon.createSession(Self.composed(), start: true)
      let resolved = session.resolvedConfiguration
      #expect(resolved.inputs[2].composition.frameRate.numerator == 30)
      #expect(resolved.inputs[2].composition.frameRate.denominator == 1)
      #expect(resolved.inputs[2].composition.layers == session.configuration.inputs[2].composition.layers)
      #expect(!resolved.inputs[2].hasFormat)
      let again = try await daemon.configure(session.name, resolved)
      #expect(again.session.resolvedConfiguration == resolved)
      #expect(!again.reconfigured, "the cameras go on")
      func converted(_ session: Firstlight_V1_Session) -> Double {
        session.costComponents.filter { $0.resource == .conversion }.reduce(0) { $0 + Double($1.demand) }
      }
      #expect(abs(converted(session) - 30 * (640 * 360 + 320 * 180)) < 1)
      var disabled = Self.composed()
      disabled.connections[0].enabled = false
      #expect(converted(try await daemon.configure(session.name, disabled).session) == 0)
    }
  }

  /// A preview and two movies of a camera.
  private static func movies() -> Firstlight_V1_SessionConfiguration {
    .small {
      $0.movie = .init()
      $0.additionalMovies = [.with { $0.id = "second" }]
    }
  }

  @Test func badMovieOutputsAreRefusedAndNothingChanges() async throws {
    try await InProcessDaemon.run { daemon in
      let before = try await daemon.createSession(Self.movies())
      var bad = Self.movies()
      bad.additionalMovies += ["", "movie", "preview", "second"].map { id in .with { $0.id = id } }
      bad.additionalMovies.append(.with { ($0.id, $0.quality) = ("bad", 0) })
      bad.additionalMovies += (0..<3).map { number in .with { $0.id = "more-\(number)" } }
      let issues = try await daemon.configure(before.name, bad, validateOnly: true).issues
      let fields = [""] + (1...4).map { "[\($0)].id" } + ["[5].quality"]
      #expect(Set(issues.map(\.field)) == Set(fields.map { "configuration.additional_movies\($0)" }))
      #expect(issues.allSatisfy { $0.reason == "INVALID_ARGUMENT" })
      #expect(try await daemon.refusalOfConfigure(before.name, bad).summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      let changes: [(String, (inout Firstlight_V1_MovieOutput) -> Void)] = [
        ("id", { $0.id = "a/b" }), ("codec", { $0.codec = .UNRECOGNIZED(99) }),
        ("audio_codec", { $0.audioCodec = .UNRECOGNIZED(99) }),
      ]
      for (field, change) in changes {
        var configuration = Self.movies()
        change(&configuration.additionalMovies[0])
        let error = try await daemon.refusalOfConfigure(before.name, configuration)
        #expect(error.fields == ["configuration.additional_movies[0].\(field)"])
      }
      #expect(try await daemon.session(before.name) == before)
    }
  }

  @Test func aCallNamesTheOutputOrMeansTheMainOne() async throws {
    try await InProcessDaemon.run { daemon in
      let session = try await daemon.createSession(Self.movies(), start: true).name
      let method = Firstlight_V1_RecordingService.startRecording
      func request(_ output: String) -> Firstlight_V1_StartRecordingRequest {
        .with { ($0.session, $0.output) = (session, output) }
      }
      for output in ["nothing", "preview"] {
        let error = try await daemon.refusal(of: method, request(output))
        #expect(error.summary == "NOT_FOUND OUTPUT_NOT_FOUND")
        #expect(error.metadata["outputs"] == "movie, second")
        #expect(error.fields == ["output"])
      }
      let events: ResponseStream<Firstlight_V1_StartRecordingResponse> = try daemon.stream(method, request(""))
      let recording = try #require(try await events.next()).event.recording
      #expect(recording.output == "movie")
      let busy = try await daemon.refusal(of: method, request("movie"))
      #expect(busy.summary == "FAILED_PRECONDITION RECORDING_IN_PROGRESS")
      #expect(busy.metadata["output"] == "movie")
      let deletion = try await daemon.refusal(
        of: Firstlight_V1_RecordingService.deleteRecording,
        Firstlight_V1_DeleteRecordingRequest.with { $0.name = recording.name })
      #expect(deletion.summary == "FAILED_PRECONDITION RECORDING_IN_PROGRESS")
    }
  }
}
