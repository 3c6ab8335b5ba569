internal import CaptureCore
internal import CaptureSessions
internal import DelayedFeeds
internal import FirstlightAPI
internal import FrameDelivery
internal import RPCCore
internal import SwiftProtobuf

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
