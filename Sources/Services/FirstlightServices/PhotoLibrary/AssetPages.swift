internal import CaptureCore
internal import HTTPTransport
internal import PhotoLibrary
internal import SystemClocks

/// Serves the photos of the library at `/assets/{id}`, whole or in ranges.
struct AssetPages: Sendable {
  let library: PhotoLibrary

  /// Other sites may link to a photo, because opening it has no effect.
  var all: [HTTPPage] {
    [
      HTTPPage("/assets/", .asset, parameters: ["download"], isOpenToLinks: true) { request, writer in
        await writer.answeringErrors { try await send(request, writer) }
      }
    ]
  }

  private func send(_ request: HTTPPageRequest, _ writer: HTTPPageWriter) async throws {
    // A resource name has no slash before it, so the rest of the path is one.
    let id = try PhotoLibraryHandlers.id(String(request.path.dropFirst()))
    let file = try await library.open(id)
    let photo = file.photo
    let time = file.asset.captureTime
    let name = String(time.rfc3339.prefix(19)).map { $0 == ":" ? "-" : $0 }
    // The file of an asset never changes, so its id is its tag.
    let content = HTTPContent(
      size: photo.byteCount, contentType: photo.encoding.mimeType, entityTag: id,
      modificationTime: Int64(file.asset.addTime.nanoseconds / 1_000_000_000),
      fileName: "\(String(name)).\(photo.encoding.fileExtension)",
      isAttachment: request.parameters.contains { $0.name == "download" }
    ) { offset, count in
      try await file.read(at: offset, count: count)
    }
    try await writer.send(content, for: request)
  }
}
