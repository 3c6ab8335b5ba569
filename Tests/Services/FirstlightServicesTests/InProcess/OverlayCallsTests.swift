import FirstlightAPI
import FirstlightTestKit
import Foundation
import RPCCore
import SwiftProtobuf
import Testing

/// What SetOverlay and ProcessFrames refuse.
@Suite(.timeLimit(.minutes(1))) struct OverlayCallsTests {
  private typealias Service = Firstlight_V1_VideoDataService
  private typealias Frames = ResponseStream<Firstlight_V1_ProcessFramesResponse>
  private static let invalid = "INVALID_ARGUMENT INVALID_ARGUMENT"

  @Test(arguments: [
    (Firstlight_V1_OverlayElement(), "elements[0]"),
    (.with { $0.text.string = String(repeating: "x", count: 257) }, "elements[0].text.string"),
    (.with { ($0.text.string, $0.text.x) = ("x", .nan) }, "elements[0].text.x"),
    (.with { ($0.text.string, $0.text.relativeHeight) = ("x", 2) }, "elements[0].text.relative_height"),
    (.with { $0.image.png = Data("no picture".utf8) }, "elements[0].image.png"),
    (
      .with {
        ($0.image.pixels.width, $0.image.pixels.height, $0.image.pixels.rgba) = (2, 2, Data("xxx".utf8))
      }, "elements[0].image.pixels"
    ),
    (.with { $0.image = .init() }, "elements[0].image"),
    (.with { $0.box.relativeWidth = -1 }, "elements[0].box.relative_width"),
  ]) func whatCannotBeDrawnIsRefusedByName(_ element: Firstlight_V1_OverlayElement, _ field: String) async throws {
    try await InProcessDaemon.run { daemon in
      let session = try await daemon.createSession(.small()).name
      let error = try await daemon.refusal(
        of: Service.setOverlay,
        Firstlight_V1_SetOverlayRequest.with { ($0.session, $0.overlay.elements) = (session, [element]) })
      #expect(error.summary == Self.invalid)
      #expect(error.fields == ["overlay.\(field)"])
    }
  }

  /// Runs a test with a running session that has video data.
  private func withSession(_ body: (InProcessDaemon, String) async throws -> Void) async throws {
    try await InProcessDaemon.run { daemon in
      let configuration = Firstlight_V1_SessionConfiguration.small {
        $0.clearPhoto()
        $0.videoData = [.with { $0.id = "data" }]
      }
      try await body(daemon, try await daemon.createSession(configuration, start: true).name)
    }
  }

  /// Begins to process the frames of a session.
  private func process(
    _ daemon: InProcessDaemon, _ session: String,
    _ change: (inout Firstlight_V1_ProcessingStart) -> Void = { _ in }
  ) throws -> Frames {
    let frames: Frames = daemon.open(Service.processFrames)
    try frames.send(
      Firstlight_V1_ProcessFramesRequest.with {
        $0.processingStart.session = session
        change(&$0.processingStart)
      })
    return frames
  }

  @Test(arguments: [
    (Firstlight_V1_ProcessingStart.with { $0.deadlineFrames = 9 }, RPCError.Code.invalidArgument, "deadline_frames"),
    (.with { $0.output = "none" }, .notFound, "output"),
    (.with { $0.previewOutput = "none" }, .notFound, "preview_output"),
    (.with { $0.maxMessageBytes = 65536 }, .failedPrecondition, "max_message_bytes"),
  ]) func whatCannotBeProcessedIsRefused(
    _ start: Firstlight_V1_ProcessingStart, _ code: RPCError.Code, _ field: String
  ) async throws {
    try await withSession { daemon, session in
      let frames = try process(daemon, session) {
        $0 = start
        $0.session = session
      }
      let error = try await frames.error()
      #expect(error.code == code)
      #expect(error.fields == ["processing_start.\(field)"])
    }
  }

  @Test func theFirstRequestMustBeStart() async throws {
    try await withSession { daemon, _ in
      let frames: Frames = daemon.open(Service.processFrames)
      try frames.send(Firstlight_V1_ProcessFramesRequest.with { $0.answer.sequence = 1 })
      #expect(try await frames.error().code == .invalidArgument)
    }
  }

  @Test func thereIsOneProgramForEachPreviewAndNoneWithoutItsOutput() async throws {
    try await withSession { daemon, session in
      let former = try process(daemon, session)
      _ = try await former.through { $0.frame.streamID != 0 }
      let later = try process(daemon, session)
      _ = try await later.through { $0.frame.streamID != 0 }
      #expect(try await former.error().summary == "ABORTED OPERATION_INTERRUPTED")
      try await daemon.configure(session, .small { $0.clearPhoto() })
      #expect(try await later.error().summary == "FAILED_PRECONDITION OUTPUT_REMOVED")
    }
  }
}
