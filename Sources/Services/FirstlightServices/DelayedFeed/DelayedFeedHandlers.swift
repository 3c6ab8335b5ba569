internal import CaptureCore
internal import CaptureSessions
internal import DelayedFeeds
internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore
internal import SwiftProtobuf

/// The handlers of DelayedFeedService. The handler of each method is in a file of its own in this folder.
struct DelayedFeedHandlers: DelayedFeedServiceHandler {
  let sessions: SessionRegistry
  let feeds: DelayedFeedRegistry

  /// The session and the preview output that a request names.
  ///
  /// - Throws: `invalidArgument`, `sessionNotFound`, `outputNotFound`.
  func preview(
    _ output: String, of session: String
  ) async throws(CaptureError) -> (CaptureSession, PreviewOutput) {
    let session = try await sessions.expectedSession(named: session, field: "session")
    return (session, try await session.output(output, as: PreviewOutput.self, named: "preview"))
  }
}

extension DelayedFeedHandlers {
  /// The shortest latency, and the latency of a client that names none, in nanoseconds.
  private static let (shortest, usual): (UInt64, UInt64) = (500_000_000, 2_000_000_000)

  func streamDelayedChunks(
    _ request: Firstlight_V1_StreamDelayedChunksRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_StreamDelayedChunksResponse>
  ) async throws {
    let wanted = try PreviewRequest(Firstlight_V1_StreamPreviewRequest(request))
    let latency = try Validation.duration(
      request.hasLatency ? request.latency : nil, Self.shortest...DelayedFeedRegistry.longest, default: Self.usual,
      field: "latency")
    let (session, output) = try await preview(request.output, of: request.session)
    let chunks = try feeds.attachChunks(output, wanted, latency: latency)
    defer { chunks.detach() }
    try await session.whileViewed(since: context.arrival) {
      while true {
        let event = try await chunks.next()
        try await writer.write(
          .with {
            switch event {
            case .status(let status): $0.status = status.proto
            case .part(let part): $0.part = part.proto
            }
          })
      }
    }
  }
}

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
