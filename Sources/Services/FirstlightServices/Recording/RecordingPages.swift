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
  private let indexes = FragmentIndexes()

  init(recordings: Recordings, exports: RecordingExports) {
    self.recordings = recordings
    self.exports = exports
  }

  /// Other sites may link to a recording, because opening it has no effect.
  var all: [HTTPPage] {
    [
      HTTPPage("/recordings/", .recording, parameters: RecordingQuery.names, isOpenToLinks: true) { request, writer in
        await writer.answeringErrors { try await sendFile(request, writer) }
      },
      HTTPPage("/recordings", .span, parameters: ExportQuery.names, isOpenToLinks: true) { request, writer in
        await writer.answeringErrors { try await sendMovie(request, writer) }
      },
    ]
  }

  /// Answers a request for the file of a recording, as far as it plays now. A player asks for many parts of one file
  /// and does not say which one, although the file grows, and another file may take its place when the recording
  /// finishes. A request for a part is therefore redirected to the address of the file as it is now, which never has
  /// other bytes.
  private func sendFile(_ request: HTTPPageRequest, _ writer: HTTPPageWriter) async throws {
    // A resource name has no slash before it, so the rest of the path is one.
    let id = try RecordingHandlers.id(String(request.path.dropFirst()))
    let query = try RecordingQuery(request.parameters)
    // Asked before the file is opened: the last file of a recording is opened when it has finished.
    let record = try await recordings.record(id)
    let file = try await recordings.open(id)
    let size = file.size
    if let wanted = query.size {
      guard !file.isOptimizedForNetworkUse, wanted <= size else {
        throw CaptureError(
          .recordingNotFound, "The recording \(id) has another file now; open /recordings/\(id).",
          metadata: ["recording": id])
      }
    } else if record.state != .finished, record.container.hasIndex, !file.isOptimizedForNetworkUse,
      request.wantsPartOfAny
    {
      let target = query.target(recording: id, size: size)
      return writer.redirect(to: target, "The file as it is now is at \(target).")
    }
    try await writer.send(
      content(of: record, file, size: query.size ?? size, isDownload: query.isDownload), for: request)
  }

  /// The file, with an index of its fragments in front for a player. A client that saves the file gets its bytes as
  /// they are.
  private func content(
    of record: RecordingRecord, _ file: RecordingFile, size: UInt64, isDownload: Bool
  ) async throws(CaptureError) -> HTTPContent {
    let hasFragments = !isDownload && record.container.hasIndex
    let indexed = hasFragments ? try await indexes.indexed(file, of: record.id, size: size) : nil
    // A file only grows until it is finished, and its completion makes it larger too. The file that replaces it when
    // the index comes to the front may have any size.
    let kind = file.isOptimizedForNetworkUse ? "-optimized" : indexed == nil ? "" : "-indexed"
    return HTTPContent(
      size: indexed?.size ?? size, contentType: record.container.mimeType,
      entityTag: "\(record.id)-\(size)\(kind)", modificationTime: file.modificationTime,
      fileName: String(record.file.split(separator: "/").last ?? "recording"), isAttachment: isDownload
    ) { offset, count in
      guard let indexed else { return try await file.read(at: offset, count: Int(min(UInt64(count), size - offset))) }
      return try await indexed.read(at: offset, count: count)
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
    writer.redirect(to: target, "The movie as it is now is at \(target).")
  }

  private func content(_ query: ExportQuery, _ reader: ExportReader) -> HTTPContent {
    let movie = reader.movie
    let time = String(movie.startTime.rfc3339.prefix(19)).map { $0 == ":" ? "-" : $0 }
    return HTTPContent(
      size: movie.size, contentType: movie.container.mimeType, entityTag: query.size.map { "movie-\($0)" } ?? movie.tag,
      fileName: "\(query.span.session)-\(String(time)).\(movie.container.fileExtension)",
      isAttachment: query.isDownload,
      fields: [
        ("X-Start-Time", movie.startTime.rfc3339),
        ("X-Hidden-Duration", ExportQuery.seconds(movie.hiddenDuration)),
      ]
    ) { offset, count in
      try await reader.read(at: offset, count: count)
    }
  }
}

extension HTTPPageWriter {
  /// Redirects a request to another address of this server, with a sentence for people.
  fileprivate func redirect(to target: String, _ sentence: String) {
    send(
      HTTPAnswer(
        status: 307, contentType: "text/plain; charset=utf-8", fields: [("Location", target)],
        body: Array("\(sentence)\n".utf8)))
  }
}
