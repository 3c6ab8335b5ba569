internal import CaptureCore
internal import CaptureSessions
internal import DelayedFeeds
internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore
internal import SwiftProtobuf

extension DelayedFeedHandlers {
  func streamDelayedFrames(
    _ request: Firstlight_V1_StreamDelayedFramesRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamDelayedFramesResponse>
  ) async throws {
    let wanted = try PreviewRequest(Firstlight_V1_StreamPreviewRequest(request))
    let delay = try Validation.duration(request.delay, 0...DelayedFeedRegistry.longest, field: "delay")
    let (session, output) = try await preview(request.output, of: request.session)
    let reader = try feeds.attach(output, wanted, delay: delay)
    defer { reader.detach() }
    try await session.whileViewed(since: context.arrival) {
      try await writer.write(from: ReaderMessages(reader: reader) { try $0.message() })
    }
  }
}

extension DelayedEvent {
  /// The event as a message of StreamDelayedFrames. A frame has the same place in it as in a message of StreamPreview.
  ///
  /// - Throws: SwiftProtobuf's error when the message cannot be encoded.
  fileprivate func message() throws -> LentMessage {
    switch self {
    case .status(let status):
      try LentMessage(Firstlight_V1_StreamDelayedFramesResponse.with { $0.status = status.proto })
    case .report(let report):
      try LentMessage(Firstlight_V1_StreamDelayedFramesResponse.with { $0.delayedHistory = report.proto })
    case .frame(let picture): picture.message
    }
  }
}
