import FirstlightAPI
import FirstlightTestKit
import Foundation
import RPCCore
import SwiftProtobuf
import Testing

/// What RecordingService refuses.
@Suite(.timeLimit(.minutes(1))) struct RecordingCallsTests {
  private typealias Service = Firstlight_V1_RecordingService

  /// A running session whose recordings may begin 5 s before their request, on a daemon of its own.
  private func withSession(
    _ change: (inout Firstlight_V1_MovieOutput) -> Void = { $0.maxPreRollDuration.seconds = 5 },
    _ body: (InProcessDaemon, String) async throws -> Void
  ) async throws {
    try await InProcessDaemon.run { daemon in
      let configuration = Firstlight_V1_SessionConfiguration.small {
        $0.movie = .init()
        change(&$0.movie)
      }
      try await body(daemon, try await daemon.createSession(configuration, start: true).name)
      let list: Firstlight_V1_ListRecordingsResponse = try await daemon.call(
        Service.listRecordings, Firstlight_V1_ListRecordingsRequest())
      #expect(list.recordings.isEmpty, "what was refused is no recording")
    }
  }

  private static let invalid = "INVALID_ARGUMENT INVALID_ARGUMENT"

  @Test(arguments: [
    (
      Firstlight_V1_StartRecordingRequest.with { ($0.preRollDuration.seconds, $0.preRollDuration.nanos) = (5, 1) },
      invalid, "pre_roll_duration"
    ),
    (.with { $0.preRollDuration.seconds = 61 }, invalid, "pre_roll_duration"),
    (.with { $0.preRollDuration.seconds = -1 }, invalid, "pre_roll_duration"),
    (.with { $0.fragmentInterval.nanos = 99_999_999 }, invalid, "fragment_interval"),
    (.with { ($0.fragmentInterval.seconds, $0.fragmentInterval.nanos) = (60, 1) }, invalid, "fragment_interval"),
    (
      .with { $0.recordingLimits.maxRecordedDuration.seconds = -1 }, invalid,
      "recording_limits.max_recorded_duration"
    ),
    (
      .with { $0.recordingLimits.maxRecordedDuration = .init() }, invalid, "recording_limits.max_recorded_duration"
    ),
    (
      .with { ($0.container, $0.shouldOptimizeForNetworkUse) = (.matroska, true) }, invalid,
      "should_optimize_for_network_use"
    ),
    (.with { $0.container = .UNRECOGNIZED(99) }, invalid, "container"),
    (.with { $0.output = "nowhere" }, "NOT_FOUND OUTPUT_NOT_FOUND", "output"),
  ]) func aRecordingThatCannotBeIsRefusedByName(
    _ request: Firstlight_V1_StartRecordingRequest, _ summary: String, _ field: String
  ) async throws {
    try await withSession { daemon, session in
      var request = request
      request.session = session
      let error = try await daemon.refusal(of: Service.startRecording, request)
      #expect(error.summary == summary)
      #expect(error.fields == [field])
    }
  }

  @Test(arguments: [
    "../out", "/etc/out", "a/../../out", ".hidden", "a//b", "a\\b", String(repeating: "x", count: 300), "bad\0",
  ]) func pathsStayBelowTheFolder(_ file: String) async throws {
    try await withSession { daemon, session in
      let before = try FileManager.default.subpathsOfDirectory(atPath: daemon.folder)
      let error = try await daemon.refusal(
        of: Service.startRecording,
        Firstlight_V1_StartRecordingRequest.with { ($0.session, $0.file) = (session, file) })
      #expect(error.summary == Self.invalid)
      #expect(error.fields == ["file"])
      #expect(try FileManager.default.subpathsOfDirectory(atPath: daemon.folder) == before, "nothing was made")
    }
  }

  @Test func whatAMovieOutputRefuses() async throws {
    try await InProcessDaemon.run { daemon in
      let name = try await daemon.createSession().name
      let unsupported = try await daemon.refusalOfConfigure(name, .small { $0.movie.codec = .motionJpeg })
      #expect(unsupported.summary == "FAILED_PRECONDITION NOT_SUPPORTED_IN_CONFIGURATION")
      let quality = try await daemon.refusalOfConfigure(name, .small { $0.movie.quality = 101 })
      #expect(quality.summary == Self.invalid)
      #expect(quality.fields == ["configuration.movie.quality"])
      let rate = try await daemon.refusalOfConfigure(name, .small { $0.movie.averageBitRate = 1 })
      #expect(rate.summary == Self.invalid)
      #expect(rate.fields == ["configuration.movie.average_bit_rate"])
      let session = try await daemon.configure(name, .small { $0.movie = .init() }).session
      let can = try #require(session.outputCapabilities.first { $0.output == "movie" }).movieCapabilities
      #expect(can.availableCodecs.contains(.h264))
      #expect(can.availableContainers == [.mp4, .mov, .matroska, .mpegTs])
      let request = Firstlight_V1_StartRecordingRequest.with { $0.session = name }
      let stopped = try await daemon.refusal(of: Service.startRecording, request)
      #expect(stopped.summary == "FAILED_PRECONDITION SESSION_NOT_RUNNING")
      let plain = try await daemon.createSession(.small(1), start: true).name
      let none = try await daemon.refusal(
        of: Service.startRecording, Firstlight_V1_StartRecordingRequest.with { $0.session = plain })
      #expect(none.summary == "NOT_FOUND OUTPUT_NOT_FOUND")
    }
  }

  @Test func withoutAPreRollInTheConfigurationThereIsNone() async throws {
    try await withSession({ _ in }) { daemon, session in
      let resolved = try await daemon.session(session).resolvedConfiguration.movie
      #expect(resolved.maxPreRollDuration == .init())
      let error = try await daemon.refusal(
        of: Service.startRecording,
        Firstlight_V1_StartRecordingRequest.with { ($0.session, $0.preRollDuration.seconds) = (session, 1) })
      #expect(error.summary == "FAILED_PRECONDITION NOT_SUPPORTED_IN_CONFIGURATION")
    }
  }

  @Test(arguments: [(Int64(60), Int32(1)), (-1, 0)])
  func aPreRollOutOfRangeCannotBeConfigured(_ seconds: Int64, _ nanos: Int32) async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await daemon.refusalOfCreation(
        .small { ($0.movie.maxPreRollDuration.seconds, $0.movie.maxPreRollDuration.nanos) = (seconds, nanos) })
      #expect(error.summary == Self.invalid)
      #expect(error.fields == ["configuration.movie.max_pre_roll_duration"])
    }
  }

  @Test(
    arguments: [
      (Firstlight_V1_ExportRecordingRequest(), invalid, "start_time"),
      (.with { ($0.startTime.seconds, $0.session) = (1, "a") }, invalid, "session"),
      (.with { ($0.startTime.seconds, $0.session) = (1, "sessions/a") }, invalid, "duration"),
      (
        .with { ($0.startTime.seconds, $0.session, $0.duration.seconds) = (1, "sessions/a", 6 * 3600 + 1) }, invalid,
        "duration"
      ),
      (
        .with { ($0.startTime.seconds, $0.session, $0.duration.seconds) = (1, "sessions/a", 1) },
        "NOT_FOUND RECORDING_NOT_FOUND", nil
      ),
    ] as [(Firstlight_V1_ExportRecordingRequest, String, String?)])
  func anExportThatCannotBeIsRefused(
    _ request: Firstlight_V1_ExportRecordingRequest, _ summary: String, _ field: String?
  ) async throws {
    try await withSession { daemon, _ in
      let error = try await daemon.refusal(of: Service.exportRecording, request)
      #expect(error.summary == summary)
      #expect(error.fields == (field.map { [$0] } ?? []))
    }
  }

  @Test func whatIsNoRecordingIsNotFound() async throws {
    try await withSession { daemon, _ in
      // All of these requests have the name as their first field.
      let request = Firstlight_V1_GetRecordingRequest.with { $0.name = "recordings/none" }
      for method in [
        Service.getRecording, Service.stopRecording, Service.pauseRecording, Service.resumeRecording,
        Service.deleteRecording, Service.downloadRecording,
      ] {
        let error = try await daemon.refusal(of: method, request)
        #expect(error.summary == "NOT_FOUND RECORDING_NOT_FOUND")
      }
    }
  }

  /// A daemon whose folder of recordings cannot be opened does all else.
  @Test func withoutAFolderThereAreNoRecordings() async throws {
    try await InProcessDaemon.run {
      $0.hasRecordings = false
    } _: { daemon in
      let session = try await daemon.createSession(.small { $0.movie = .init() }, start: true).name
      let error = try await daemon.refusal(
        of: Service.startRecording, Firstlight_V1_StartRecordingRequest.with { $0.session = session })
      #expect(error.reason == "PROCESSING_FAILED")
      #expect(try await daemon.photo(session).count == 5)
    }
  }
}
