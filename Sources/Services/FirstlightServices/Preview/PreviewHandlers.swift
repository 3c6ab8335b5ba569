internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import FrameDelivery
internal import Imaging
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

/// The handlers of PreviewService. The handler of each method is in a file of its own in this folder.
struct PreviewHandlers: PreviewServiceHandler {
  let sessions: SessionRegistry
  let readers: ReaderDirectory
}

extension PreviewHandlers {
  func acknowledgeFrames(
    _ request: Firstlight_V1_AcknowledgeFramesRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_AcknowledgeFramesResponse {
    try readers.acknowledge(token: request.streamToken, sequence: request.sequence)
    return Firstlight_V1_AcknowledgeFramesResponse()
  }
}

extension PreviewHandlers {
  func streamPreview(
    _ request: Firstlight_V1_StreamPreviewRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamPreviewResponse>
  ) async throws {
    try await withReader(request, since: context.arrival) { reader in
      try await writer.write(from: ReaderMessages(reader: reader) { try $0.message() })
    }
  }

  /// Attaches a reader to the preview that a request names, for as long as `body` runs.
  ///
  /// - Parameters:
  ///   - arrival: when the client asked for the preview.
  ///   - body: serves the reader.
  /// - Throws: as StreamPreview; the error of `body`.
  func withReader(
    _ request: Firstlight_V1_StreamPreviewRequest, since arrival: MonotonicInstant,
    _ body: (PreviewReader) async throws -> Void
  ) async throws {
    let wanted = try PreviewRequest(request)
    let session = try await sessions.expectedSession(named: request.session, field: "session")
    let output = try await session.output(request.output, as: PreviewOutput.self, named: "preview")
    let reader = try output.attach(wanted)
    defer { reader.detach() }
    try await session.whileViewed(since: arrival) { try await body(reader) }
  }
}

extension PreviewEvent {
  /// The event as a message of StreamPreview. Readers of the same picture share the message.
  ///
  /// - Throws: SwiftProtobuf's error when the message cannot be encoded.
  func message() throws -> LentMessage {
    switch self {
    case .status(let status):
      try LentMessage(Firstlight_V1_StreamPreviewResponse.with { $0.status = status.proto })
    case .frame(let picture): picture.message
    }
  }
}
