internal import CaptureCore
internal import CaptureSessions
internal import FrameDelivery
internal import HTTPTransport
internal import Imaging
internal import SystemClocks

extension PicturePages {
  /// The time for which a snapshot waits for a picture.
  private static let patience = Duration.seconds(10)

  /// Answers with the next picture of a preview, which is at most one period of the camera and the time of its encoding
  /// old.
  func snapshot(_ request: HTTPPageRequest, _ writer: HTTPPageWriter) async throws {
    let arrival = MonotonicInstant.now()
    let query = try PictureQuery(request.parameters)
    let (session, output) = try await preview(query)
    guard !request.isHead else { return writer.sendHead(contentType: "image/jpeg") }
    let reader = try output.attach(query.request)
    defer { reader.detach() }
    let picture = try await session.whileViewed(since: arrival) { try await Self.first(of: reader) }
    writer.send(
      HTTPAnswer(
        contentType: "image/jpeg", fields: picture.captured.frame.fields.map { ($0.key, $0.value) },
        body: picture.picture.buffer.withUnsafeBytes { Array($0) }))
  }

  /// The first picture of a reader.
  ///
  /// - Throws: `deviceNotResponding` when none comes in time, `CancellationError` when the client is gone, and the
  ///   error that ends the preview.
  private static func first(of reader: PreviewReader) async throws -> PreviewPicture {
    let timer = Task {
      try await Task.sleep(for: patience)
      reader.detach()
    }
    defer { timer.cancel() }
    do {
      while true {
        if case .frame(let picture) = try await reader.next() { return picture }
      }
    } catch is CancellationError where !Task.isCancelled {
      throw CaptureError(
        .deviceNotResponding, "No picture came within \(patience.components.seconds) seconds; does the session run?")
    }
  }
}
