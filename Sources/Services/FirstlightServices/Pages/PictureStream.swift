internal import CaptureCore
internal import CaptureSessions
internal import DelayedFeeds
internal import FrameDelivery
internal import HTTPTransport
internal import RPCCore
internal import SystemClocks

extension PicturePages {
  /// Streams the pictures of a preview, or those of some time ago, until the client goes or the preview ends.
  func stream(_ request: HTTPPageRequest, _ writer: HTTPPageWriter) async throws {
    let arrival = MonotonicInstant.now()
    let query = try PictureQuery(request.parameters)
    let (session, output) = try await preview(query)
    guard !request.isHead else { return writer.sendHead(contentType: HTTPPageWriter.contentTypeOfParts) }
    if let delay = query.delay {
      let reader = try delayedFeeds.attach(output, query.request, delay: delay)
      defer { reader.detach() }
      return await session.whileViewed(since: arrival) {
        try? await writer.sendParts(from: ReaderMessages(reader: reader) { $0.part })
      }
    }
    let reader = try output.attach(query.request)
    defer { reader.detach() }
    // The head of the answer is sent by now, so the client learns of the end of the preview only by the end of the
    // connection.
    await session.whileViewed(since: arrival) {
      try? await writer.sendParts(from: ReaderMessages(reader: reader) { $0.part })
    }
  }
}

extension PreviewEvent {
  /// The event as a part of a stream of pictures.
  fileprivate var part: LentMessage {
    switch self {
    case .status: .nothing
    case .frame(let picture): picture.part
    }
  }
}

extension DelayedEvent {
  /// The event as a part of a stream of pictures.
  fileprivate var part: LentMessage {
    switch self {
    case .status, .report: .nothing
    case .frame(let picture): picture.part
    }
  }
}

extension LentMessage {
  /// What a stream of parts has instead of a status, which has no place in it.
  fileprivate static let nothing = LentMessage(header: [], payload: NoBytes())

  private final class NoBytes: LentPayload {
    func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
      try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }
}

extension PreviewPicture {
  private final class Part: Sendable {
    let message: LentMessage
    init(_ message: LentMessage) { self.message = message }
  }

  /// The part of a stream with this picture. All viewers share it, because it does not tell what a viewer lost.
  fileprivate var part: LentMessage {
    let message = message
    return memo.value(dropped: DropCounts()) {
      Part(LentMessage(part: message, contentType: "image/jpeg", fields: captured.frame.fields))
    }.message
  }
}

extension Frame {
  /// What the head of a picture by HTTP says about its frame. `X-Timestamp` is the capture time in seconds, as clients
  /// of mjpg-streamer and of ustreamer know it.
  var fields: KeyValuePairs<String, String> {
    let (seconds, nanoseconds) = time.wall.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return [
      "X-Sequence": "\(sequence)",
      "X-Stream-Id": "\(streamID)",
      "X-Capture-Time": time.wall.rfc3339,
      "X-Timestamp": "\(seconds).\((nanoseconds / 1000).padded(to: 6))",
    ]
  }
}
