internal import CaptureCore
internal import HTTPTransport
internal import MovieRecording
internal import VideoCoding

/// Serves the files of recordings at `/recordings/{id}`, so that browsers and players can play and seek them.
struct RecordingPages: Sendable {
  let recordings: Recordings

  /// Other sites may link to a recording, because opening it has no effect.
  var all: [HTTPPage] {
    [
      HTTPPage("/recordings/", isOpenToLinks: true) { request, writer in
        await writer.answeringErrors { try await writer.send(file(request), for: request) }
      }
    ]
  }

  /// The file of the recording that a request names, as far as it plays now.
  private func file(_ request: HTTPPageRequest) async throws(CaptureError) -> HTTPContent {
    // A resource name has no slash before it, so the rest of the path is one.
    let id = try RecordingHandlers.id(String(request.path.dropFirst()))
    if let (name, value) = request.parameters.first(where: { $0.name != "download" }) {
      throw CaptureError(
        .invalidArgument, "There is no parameter \"\(name.prefix(80))\". The parameters are: download.",
        metadata: ["parameter": String(name.prefix(80)), "value": String(value.prefix(80))], field: nil)
    }
    let record = try await recordings.record(id)
    let file = try await recordings.open(id)
    let size = file.size
    return HTTPContent(
      size: size, contentType: record.container.mimeType,
      // A file only grows until it is finished, and its completion makes it larger too.
      entityTag: "\(id)-\(size)", modificationTime: file.modificationTime,
      fileName: String(record.file.split(separator: "/").last ?? "recording"), isAttachment: !request.parameters.isEmpty
    ) { offset, count in
      try await file.read(at: offset, count: count)
    }
  }
}
