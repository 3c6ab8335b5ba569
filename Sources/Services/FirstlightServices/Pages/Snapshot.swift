internal import CaptureCore
internal import CaptureSessions
internal import FrameDelivery
internal import HTTPTransport
internal import Imaging
internal import SystemClocks

extension PicturePages {
  /// The shortest time for which a snapshot waits for a picture. A camera with long exposures gets as much time as a
  /// photo of it.
  private static let patience = Duration.seconds(10)
  /// The longest time for which a snapshot waits until the exposure of a camera that has just started settles.
  private static let settling = Duration.seconds(2)

  /// Answers with the next picture of a preview, which is at most one period of the camera and the time of its encoding
  /// old. The first pictures of a camera are dark or pale; those of one that has just started are passed over until its
  /// exposure has settled, unless the query says otherwise.
  func snapshot(_ request: HTTPPageRequest, _ writer: HTTPPageWriter) async throws {
    let arrival = MonotonicInstant.now()
    let query = try PictureQuery(request.parameters)
    let (session, output) = try await preview(query)
    guard !request.isHead else { return writer.sendHead(contentType: "image/jpeg") }
    let reader = try output.attach(query.request)
    defer { reader.detach() }
    let picture = try await session.whileViewed(since: arrival) {
      let first = try await Self.first(of: reader, output, in: session)
      return query.isSettled ? await Self.settled(after: first, of: reader, output, in: session) : first
    }
    writer.send(
      HTTPAnswer(
        contentType: "image/jpeg", fields: picture.captured.frame.fields.map { ($0.key, $0.value) },
        body: picture.picture.buffer.withUnsafeBytes { Array($0) }))
  }

  /// The first picture of a reader.
  ///
  /// - Throws: `deviceNotResponding` with the reason that the session knows when none comes in time,
  ///   `CancellationError` when the client is gone, and the error that ends the preview.
  private static func first(
    of reader: PreviewReader, _ output: PreviewOutput, in session: CaptureSession
  ) async throws -> PreviewPicture {
    // How long the camera may take for a frame is known only once it has started.
    let patience: @Sendable () -> Duration = { max(Self.patience, .nanoseconds(output.framePatienceNanoseconds)) }
    let timer = detach(reader, after: patience)
    defer { timer.cancel() }
    var status = SessionStatus(.stopped)
    do {
      while true {
        switch try await reader.next() {
        case .frame(let picture): return picture
        case .status(let told): status = told.session
        }
      }
    } catch is CancellationError where !Task.isCancelled {
      throw CaptureError.noPicture(within: patience(), status, in: session.id)
    }
  }

  /// The first picture after the exposure has settled, or the newest one when that takes too long.
  private static func settled(
    after first: PreviewPicture, of reader: PreviewReader, _ output: PreviewOutput, in session: CaptureSession
  ) async -> PreviewPicture {
    let timer = detach(reader) { settling }
    defer { timer.cancel() }
    var newest = first
    while await session.isSettling(output.id), let event = try? await reader.next() {
      if case .frame(let picture) = event { newest = picture }
    }
    return newest
  }

  /// Detaches the reader after a time, which may become longer meanwhile.
  private static func detach(
    _ reader: PreviewReader, after time: @escaping @Sendable () -> Duration
  ) -> Task<Void, any Error> {
    Task {
      let start = ContinuousClock.now
      while ContinuousClock.now < start + time() { try await Task.sleep(until: start + time()) }
      reader.detach()
    }
  }
}

extension CaptureError {
  /// A preview brought no picture, for the reason that its readers are told.
  fileprivate static func noPicture(
    within patience: Duration, _ status: SessionStatus, in session: String
  ) -> CaptureError {
    let why =
      switch status.state {
      case .interrupted: "The session is interrupted (\(status.interruption?.text ?? "for no known reason"))."
      case .running: "The camera runs and has brought no whole picture."
      case .starting: "The camera is starting."
      case .stopped, .stopping: "The session does not run; start sessions/\(session)."
      }
    var error = CaptureError(
      .deviceNotResponding, "No picture came within \(patience.components.seconds) seconds. \(why)",
      metadata: ["session": session, "state": "\(status.state)"])
    error.metadata["interruption"] = status.interruption?.name
    return error
  }
}
