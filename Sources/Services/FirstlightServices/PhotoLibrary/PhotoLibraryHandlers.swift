internal import CaptureCore
internal import FirstlightAPI
internal import Foundation
internal import PhotoLibrary
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

/// The handlers of PhotoLibraryService. That of PerformChanges is in a file of its own in this folder.
struct PhotoLibraryHandlers: PhotoLibraryServiceHandler {
  let library: PhotoLibrary
  let changes: LibraryChanges

  func performChanges(
    _ request: Firstlight_V1_PerformChangesRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_PerformChangesResponse {
    let wanted = try await changes.read(request, context.principal)
    let assets = try await library.perform(wanted)
    return .with { $0.assets = assets.map(\.proto) }
  }

  func getAsset(
    _ request: Firstlight_V1_GetAssetRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetAssetResponse {
    let asset = try await library.asset(Self.id(request.name))
    return .with { $0.asset = asset.proto }
  }

  /// Returns the id in the name of an asset.
  static func id(_ name: String, field: String = "name") throws(CaptureError) -> String {
    try ResourceName.id(in: name, "assets", field: field)
  }
}

extension PhotoLibraryHandlers {
  func listAssets(
    _ request: Firstlight_V1_ListAssetsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListAssetsResponse {
    let filter = try AssetFilter(request)
    let range = "\(filter.times.lowerBound.nanoseconds)..<\(filter.times.upperBound.nanoseconds)"
    let query = "ListAssets \(request.session) \(request.device) \(request.state.rawValue) \(range)"
    let count = try Paging.count(request.pageSize)
    let position = try Paging.lastKey(request.pageToken, of: query).map { key in
      guard let position = AssetPosition(key: key) else { throw Paging.isForeign(request.pageToken) }
      return position
    }
    // The event id is read before the list. A client that watches after this id gets an event that comes between the
    // two once more, although the list already shows it, but misses no event.
    let events = library.events
    let eventID = events.eventID(events.lastID)
    // One more than the page has tells whether there is a further page.
    let found = try await library.assets(filter, after: position, atMost: count + 1)
    let page = Array(found.prefix(count))
    let thumbnails = request.includeThumbnails ? try await library.thumbnails(of: page) : []
    return .with {
      $0.assets = page.map(\.proto)
      for (index, thumbnail) in thumbnails.enumerated() { $0.assets[index].thumbnail = Data(thumbnail ?? []) }
      $0.nextPageToken = found.count > count ? Paging.token(AssetPosition(after: page[count - 1]).key, of: query) : ""
      $0.eventID = eventID
    }
  }
}

extension PhotoLibraryHandlers {
  func requestImage(
    _ request: Firstlight_V1_RequestImageRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_RequestImageResponse>
  ) async throws {
    let id = try Self.id(request.name)
    let limit = try Validation.messageLimit(request.hasMaxMessageBytes ? request.maxMessageBytes : nil)
    for step in try await library.imageSteps(for: ImageRequest(request), of: id) {
      try Task.checkCancellation()
      let image = try await library.image(step)
      if image.buffer.count <= limit {
        let message = try FrameSerializer.message(
          image.proto, at: .init(field: 1), dataField: FrameField.data, data: image.buffer)
        try await writer.write(message)
      } else {
        try await writer.write(
          .with {
            $0.image = image.proto
            $0.image.dataOmitted = true
          })
      }
    }
  }
}

extension PhotoLibraryHandlers {
  func downloadAsset(
    _ request: Firstlight_V1_DownloadAssetRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_DownloadAssetResponse>
  ) async throws {
    let file = try await library.open(Self.id(request.name))
    let count = file.photo.byteCount
    var offset = try Validation.offset(request.offset, of: count)
    while offset < count {
      let bytes = try await file.read(at: offset, count: AssetFile.maximumRead)
      guard !bytes.isEmpty else { throw file.isShort }
      try await writer.write(
        .with {
          $0.offset = offset
          $0.data = Data(bytes)
        })
      offset += UInt64(bytes.count)
    }
  }
}

extension PhotoLibraryHandlers {
  func watchAssets(
    _ request: Firstlight_V1_WatchAssetsRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchAssetsResponse>
  ) async throws {
    let events = library.events
    var position = try request.afterEventID.isEmpty ? events.lastID : events.number(of: request.afterEventID)
    while true {
      let entry = try await events.entry(after: position)
      position = entry.id
      try await writer.write(
        .with {
          $0.event = entry.payload.proto
          $0.event.eventID = events.eventID(entry.id)
          $0.event.time = .init(entry.time)
        })
    }
  }
}
