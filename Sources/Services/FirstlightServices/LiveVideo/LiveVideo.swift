internal import CaptureCore
internal import CaptureSessions
internal import FrameDelivery
internal import HTTPTransport
internal import RPCCore
internal import SystemClocks
internal import VideoCoding

extension PicturePages {
  /// Streams a preview as H.264 in a container until the client goes, the preview ends, or its pictures change in a way
  /// that needs a new stream.
  func video(_ container: MovieContainer, _ request: HTTPPageRequest, _ writer: HTTPPageWriter) async throws {
    let arrival = MonotonicInstant.now()
    let query = try PictureQuery(request.parameters, encoding: .h264)
    let (session, output) = try await preview(query)
    guard MovieContainer.isAvailable else { throw RPCError.noContainers }
    guard !request.isHead else { return writer.sendHead(contentType: container.mimeType) }
    let reader = try output.attach(query.request)
    defer { reader.detach() }
    let audio = query.hasSound ? output.attachAudio() : nil
    try await session.whileViewed(since: arrival) {
      // Loading takes long the first time. Meanwhile the camera starts and the first picture is encoded, and neither
      // the encoder's thread nor the server's has to load the libraries later.
      guard try await WorkerThread.run(name: "movie-load", { MovieContainer.load() }) else {
        throw RPCError.noContainers
      }
      // The body sends the head of the answer first. The client then learns of an error only by the end of the body.
      try? await writer.sendBody(
        contentType: container.mimeType, from: LiveVideoPieces(reader: reader, audio: audio, container: container))
    }
  }
}

extension RPCError {
  fileprivate static var noContainers: RPCError {
    let library = MovieContainer.library
    return RPCError(
      .unimplemented,
      "Video by HTTP needs FFmpeg's \(library.name), which is not installed; in Debian it is in the package "
        + "\(library.debianPackage).")
  }
}
