internal import CaptureCore
internal import FirstlightAPI
internal import Foundation
internal import Imaging
internal import PhotoCapture
internal import PhotoLibrary
internal import RPCCore
internal import SystemClocks

/// Reads the changes of PerformChanges.
struct LibraryChanges: Sendable {
  /// Where the bytes of photos lie until they are on the disk.
  let pool: FramePool
  /// Where the photos of captures are.
  let captures: CaptureStore
  let access: MethodAccess

  /// Returns the changes of a request.
  ///
  /// - Throws: the error of the access check for a caller that may only add assets; `invalidArgument`,
  ///   `invalidResource`, `captureNotFound`, `captureNotFinished`, `outOfBuffers`.
  func read(
    _ request: Firstlight_V1_PerformChangesRequest, _ principal: Principal
  ) async throws -> [AssetChange] {
    guard (1...PhotoLibrary.maximumChanges).contains(request.changes.count) else {
      throw CaptureError(
        .invalidArgument,
        "One call makes 1 to \(PhotoLibrary.maximumChanges) changes, not \(request.changes.count).",
        metadata: ["count": "\(request.changes.count)", "allowed": "\(PhotoLibrary.maximumChanges)"], field: "changes")
    }
    var changes: [AssetChange] = []
    for (index, change) in request.changes.enumerated() {
      let field = "changes[\(index)]"
      switch change.change {
      case .createAsset(let asset): changes.append(.create(try newAsset(asset, field: "\(field).create_asset")))
      case .deleteAsset(let name):
        try await access.check(principal, .writeLibrary, on: name)
        changes.append(.delete(try PhotoLibraryHandlers.id(name, field: "\(field).delete_asset")))
      case nil:
        throw CaptureError(.invalidArgument, "\(field) names no change.", metadata: ["change": field], field: field)
      }
    }
    return changes
  }

  private func newAsset(_ asset: Firstlight_V1_CreateAsset, field: String) throws(CaptureError) -> NewAsset {
    guard asset.resources.count == 1, let resource = asset.resources.first else {
      throw CaptureError(
        .invalidArgument, "An asset has exactly one resource, not \(asset.resources.count).",
        metadata: ["count": "\(asset.resources.count)"], field: "\(field).resources")
    }
    var new = try photo(resource, field: "\(field).resources[0]")
    if !asset.session.isEmpty {
      new.session = try ResourceName.id(in: asset.session, "sessions", field: "\(field).session")
    }
    if !asset.device.isEmpty { new.device = try ResourceName.id(in: asset.device, "devices", field: "\(field).device") }
    if asset.hasCaptureTime {
      let time = try Validation.instant(asset.captureTime, field: "\(field).capture_time")
      guard time <= PhotoLibrary.latestTime else {
        throw CaptureError(
          .invalidArgument, "\(field).capture_time is after 2262-04-11, which the library cannot keep.",
          field: "\(field).capture_time")
      }
      new.captureTime = time
    }
    return new
  }

  /// The asset of a photo, with what a capture tells about it.
  private func photo(_ resource: Firstlight_V1_NewResource, field: String) throws(CaptureError) -> NewAsset {
    switch resource.type {
    case .photo: break
    case .unspecified:
      throw CaptureError(.invalidArgument, "A resource needs a type.", field: "\(field).type")
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: "\(field).type")
    }
    guard resource.file.isEmpty != resource.data.isEmpty else {
      throw CaptureError(.invalidArgument, "A resource has either file or data.", field: field)
    }
    return resource.file.isEmpty ? try uploaded(resource.data, field: "\(field).data") : try captured(resource, field)
  }

  private func uploaded(_ data: Data, field: String) throws(CaptureError) -> NewAsset {
    // The message's own bytes end with the call, and the disk may come later.
    guard let memory = pool.take(data.count) else {
      throw CaptureError(
        .outOfBuffers, "The photo library has no \(data.count) bytes left for a photo; try again later.",
        metadata: ["bytes": "\(data.count)"])
    }
    data.copyBytes(to: memory.bytes)
    guard let picture = PictureFile.read(memory.freeze(count: data.count)) else {
      throw CaptureError(
        .invalidResource,
        "The \(data.count) bytes are no whole JPEG or PNG file. Name the capture of a HEIC photo in file.",
        metadata: ["bytes": "\(data.count)"], field: field)
    }
    return NewAsset(session: "", device: "", captureTime: nil, photo: picture)
  }

  private func captured(_ resource: Firstlight_V1_NewResource, _ field: String) throws(CaptureError) -> NewAsset {
    let id = try ResourceName.id(in: resource.file, "captures", field: "\(field).file")
    let (capture, photo): (StoredCapture, Photo)
    do throws(CaptureError) {
      (capture, photo) = (try captures.capture(id), try captures.photo(id, index: Int(resource.bracketIndex)))
    } catch {
      var error = error
      error.field = error.field == "bracket_index" ? "\(field).bracket_index" : "\(field).file"
      throw error
    }
    guard photo.encoding != .uncompressed else {
      throw CaptureError(
        .invalidResource, "The photo of capture \(id) is uncompressed; the library keeps JPEG, HEIC and PNG.",
        metadata: ["capture": id], field: "\(field).file")
    }
    return NewAsset(
      session: capture.sessionID, device: photo.frame.device, captureTime: photo.frame.time.wall, photo: photo.picture)
  }
}
