internal import CaptureCore
internal import HTTPTransport
internal import MovieRecording
internal import SystemClocks
internal import VideoCoding

/// Serves the files of recordings at `/recordings/{id}`, and movies of spans of time at `/recordings`, so that browsers
/// and players can play and seek them.
struct RecordingPages: Sendable {
  let recordings: Recordings
  let exports: RecordingExports

  /// Other sites may link to a recording, because opening it has no effect.
  var all: [HTTPPage] {
    [
      HTTPPage("/recordings/", isOpenToLinks: true) { request, writer in
        await writer.answeringErrors { try await writer.send(file(request), for: request) }
      },
      HTTPPage("/recordings", isOpenToLinks: true) { request, writer in
        await writer.answeringErrors { try await sendMovie(request, writer) }
      },
    ]
  }

  /// The file of the recording that a request names, as far as it plays now.
  private func file(_ request: HTTPPageRequest) async throws(CaptureError) -> HTTPContent {
    // A resource name has no slash before it, so the rest of the path is one.
    let id = try RecordingHandlers.id(String(request.path.dropFirst()))
    let parameters = try QueryParameters(request.parameters, of: ["download"])
    let record = try await recordings.record(id)
    let file = try await recordings.open(id)
    let size = file.size
    // A file only grows until it is finished, and its completion makes it larger too. The file that replaces it when
    // the index comes to the front may have any size.
    let kind = file.isOptimizedForNetworkUse ? "-optimized" : ""
    return HTTPContent(
      size: size, contentType: record.container.mimeType,
      entityTag: "\(id)-\(size)\(kind)", modificationTime: file.modificationTime,
      fileName: String(record.file.split(separator: "/").last ?? "recording"),
      isAttachment: parameters["download"] != nil
    ) { offset, count in
      try await file.read(at: offset, count: count)
    }
  }

  /// Answers a request for the movie of a span. A player asks for many parts of one movie and does not say which one,
  /// although the movie of a span changes while the session records and when a recording is deleted. A request for a
  /// part is therefore redirected to the address of the movie as it is now, at which nobody gets parts of another one.
  private func sendMovie(_ request: HTTPPageRequest, _ writer: HTTPPageWriter) async throws {
    let query = try ExportQuery(request.parameters)
    let reader = try await exports.open(query.span, size: query.size)
    let movie = reader.movie
    guard query.size == nil, request.wantsPartOfAny else {
      return try await writer.send(content(query, reader), for: request)
    }
    // The span ends half a period after the last frame, so that the next frame, which may come early, is not in it.
    let last = movie.startTime + movie.lastFrameTime + (movie.duration - movie.lastFrameTime) / 2
    var span = query.span
    span.duration = min(span.duration, UInt64(max(1, last.signedNanoseconds(since: span.start))))
    let target = query.target(size: try await exports.open(span).movie.size, duration: span.duration)
    writer.send(
      HTTPAnswer(
        status: 307, contentType: "text/plain; charset=utf-8", fields: [("Location", target)],
        body: Array("The movie as it is now is at \(target).\n".utf8)))
  }

  private func content(_ query: ExportQuery, _ reader: ExportReader) -> HTTPContent {
    let movie = reader.movie
    let time = String(movie.startTime.rfc3339.prefix(19)).map { $0 == ":" ? "-" : $0 }
    return HTTPContent(
      size: movie.size, contentType: movie.container.mimeType, entityTag: query.size.map { "movie-\($0)" } ?? movie.tag,
      fileName: "\(query.span.session)-\(String(time)).\(movie.container.fileExtension)",
      isAttachment: query.isDownload, fields: [("X-Start-Time", movie.startTime.rfc3339)]
    ) { offset, count in
      try await reader.read(at: offset, count: count)
    }
  }
}
