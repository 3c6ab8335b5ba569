import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import Testing

/// A method with a request, which a test refuses in the same way as others.
struct Attempt: Sendable, CustomTestStringConvertible {
  let method: MethodDescriptor
  let refusal: @Sendable (InProcessDaemon) async throws -> RPCError

  init<Request: Message>(_ method: MethodDescriptor, _ request: Request) {
    self.method = method
    refusal = { try await $0.refusal(of: method, request) }
  }

  var testDescription: String { "\(method.name)" }
}

/// Every refusal is well formed, which ``InProcessDaemon/refusal(of:_:by:)`` checks, and names what the request got
/// wrong.
@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
  private typealias Sessions = Firstlight_V1_SessionService
  private static let missing = "sessions/nowhere"

  @Test(arguments: [
    Attempt(Sessions.getSession, Firstlight_V1_GetSessionRequest.with { $0.name = missing }),
    Attempt(Sessions.deleteSession, Firstlight_V1_DeleteSessionRequest.with { $0.name = missing }),
    Attempt(Sessions.configureSession, Firstlight_V1_ConfigureSessionRequest.with { $0.name = missing }),
    Attempt(Sessions.startSession, Firstlight_V1_StartSessionRequest.with { $0.name = missing }),
    Attempt(Sessions.stopSession, Firstlight_V1_StopSessionRequest.with { $0.name = missing }),
    Attempt(Sessions.runDeferredStart, Firstlight_V1_RunDeferredStartRequest.with { $0.name = missing }),
    Attempt(Sessions.watchSession, Firstlight_V1_WatchSessionRequest.with { $0.name = missing }),
    Attempt(Sessions.watchAudioLevels, Firstlight_V1_WatchAudioLevelsRequest.with { $0.name = missing }),
    Attempt(Sessions.getLaunchTimeline, Firstlight_V1_GetLaunchTimelineRequest.with { $0.name = missing }),
    Attempt(
      Firstlight_V1_PreviewService.streamPreview, Firstlight_V1_StreamPreviewRequest.with { $0.session = missing }),
    Attempt(Firstlight_V1_PhotoService.capturePhoto, Firstlight_V1_CapturePhotoRequest.with { $0.session = missing }),
    Attempt(
      Firstlight_V1_PhotoService.watchReadiness, Firstlight_V1_WatchReadinessRequest.with { $0.session = missing }),
    Attempt(Firstlight_V1_PhotoService.listCaptures, Firstlight_V1_ListCapturesRequest.with { $0.session = missing }),
    Attempt(
      Firstlight_V1_DeviceService.setControls,
      Firstlight_V1_SetControlsRequest.with { ($0.device, $0.session) = ("devices/synthetic-0", missing) }),
  ]) func everyMethodTellsAMissingSession(_ attempt: Attempt) async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await attempt.refusal(daemon)
      #expect(error.summary == "NOT_FOUND SESSION_NOT_FOUND")
      #expect(error.metadata.values.joined().contains("nowhere"))
    }
  }

  @Test(
    arguments: [
      (Attempt(Sessions.getSession, Firstlight_V1_GetSessionRequest.with { $0.name = "devices/a" }), "name"),
      (Attempt(Sessions.startSession, Firstlight_V1_StartSessionRequest()), "name"),
      (
        Attempt(
          Firstlight_V1_PreviewService.streamPreview,
          Firstlight_V1_StreamPreviewRequest.with { $0.session = "nowhere" }),
        "session"
      ),
      (
        Attempt(
          Firstlight_V1_PhotoService.capturePhoto,
          Firstlight_V1_CapturePhotoRequest.with { $0.session = "captures/a" }),
        "session"
      ),
      (
        Attempt(Firstlight_V1_PhotoService.getCapture, Firstlight_V1_GetCaptureRequest.with { $0.name = "sessions/a" }),
        "name"
      ),
      (
        Attempt(
          Firstlight_V1_PhotoService.downloadCapture,
          Firstlight_V1_DownloadCaptureRequest.with { $0.name = "captures/" }),
        "name"
      ),
    ]
      + ["", "synthetic-1", "devices/", "sessions/a"].map { name in
        (
          Attempt(Firstlight_V1_DeviceService.setControls, Firstlight_V1_SetControlsRequest.with { $0.device = name }),
          "device"
        )
      }) func everyMethodRefusesANameOfAnotherKind(_ attempt: Attempt, _ field: String) async throws
  {
    try await InProcessDaemon.run { daemon in
      let error = try await attempt.refusal(daemon)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == [field])
    }
  }

  @Test(arguments: ["A", "1a", "-", "a b", String(repeating: "a", count: 64), "ä", "a/b", "Not An Id"])
  func aMalformedSessionIDIsRefusedAndCreatesNothing(_ id: String) async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await daemon.refusalOfCreation(.small(), id: id, start: true)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == ["session_id"])
      #expect(try await daemon.sessionNames() == [])
    }
  }

  /// Each kind of method has its own limit.
  @Test func anOversizedRequestIsRefusedWithItsLimit() async throws {
    try await InProcessDaemon.run { daemon in
      let name = "sessions/" + String(repeating: "a", count: 100 << 10)
      let small = try await daemon.refusal(
        of: Sessions.getSession, Firstlight_V1_GetSessionRequest.with { $0.name = name })
      #expect(small.summary == "RESOURCE_EXHAUSTED REQUEST_TOO_LARGE")
      #expect(small.metadata["limit"] == "65536")
      let large = try await daemon.refusal(
        of: Firstlight_V1_VideoDataService.setOverlay, Firstlight_V1_SetOverlayRequest.with { $0.session = name })
      #expect(large.summary == "INVALID_ARGUMENT INVALID_ARGUMENT", "a method with pictures reads it")
    }
  }

  @Test func anUnknownMethodIsUnimplemented() async throws {
    try await InProcessDaemon.run { daemon in
      let method = MethodDescriptor(service: "firstlight.v2.DeviceService", method: "ListDevices", kind: .unary)
      let error = try await daemon.refusal(of: method, Anything())
      #expect(error.code == .unimplemented)
    }
  }

  @Test func drillsAreNotServedUnlessAskedFor() async throws {
    try await InProcessDaemon.run {
      $0.hasDrills = false
    } _: { daemon in
      let error = try await daemon.refusal(
        of: Firstlight_Drill_V1_PressureDrillService.simulateLevel, Firstlight_Drill_V1_SimulateLevelRequest())
      #expect(error.code == .unimplemented)
    }
  }
}
