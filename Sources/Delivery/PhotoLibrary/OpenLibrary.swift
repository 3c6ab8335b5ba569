internal import CaptureCore
internal import Imaging
internal import Logging
internal import SystemClocks

/// The folder of the library while this daemon has it: its database and its files. Thread-safe; all methods block.
final class OpenLibrary: Sendable {
  let database: LibraryDatabase
  let contents: ContentFolder

  /// Opens the folder, and finishes what a daemon began that did not come to the end: new files that have a row move to
  /// their place, and files without a row go.
  ///
  /// - Throws: `libraryUnavailable` when the database cannot be used, or is gone while its files are there;
  ///   `processingFailed` when the disk fails, or when another daemon uses the folder.
  init(path: String, logger: Logger) throws(CaptureError) {
    contents = try ContentFolder(path: path)
    if contents.hasGroups, !contents.hasDatabase {
      throw CaptureError(
        .libraryUnavailable,
        "The photo library has photos and no database; put back a copy of the folder \(path).",
        metadata: ["folder": path])
    }
    database = try LibraryDatabase(path: "\(path)/\(ContentFolder.databaseName)")
    let unplaced = contents.unplaced()
    let (placed, lost, removed) = try database.read { tables in
      let placed = try unplaced.filter { try tables.hasFile($0) }
      return (placed, Set(unplaced).subtracting(placed), try tables.removedFiles())
    }
    contents.place(placed)
    for file in lost { contents.discard(file) }
    do throws(CaptureError) { try remove(removed) } catch {
      logger.warning(
        "Files of deleted photos cannot be removed yet.", metadata: ["error.message": "\(error.message)"])
    }
    if !unplaced.isEmpty || !removed.isEmpty {
      logger.notice(
        "The photo library finished what its last daemon had begun.",
        metadata: [
          "library.placed_files": "\(placed.count)", "library.discarded_files": "\(lost.count)",
          "library.removed_files": "\(removed.count)",
        ])
    }
  }

  /// Lets another daemon have the folder.
  func close() {
    database.close()
    contents.unlock()
  }

  /// Puts the files of all assets that the changes make on the storage. When one fails, none is left.
  ///
  /// - Parameters:
  ///   - pool: where thumbnails get their memory.
  ///   - check: called with the bytes of all files before the first is written.
  func write(
    _ changes: [AssetChange], pool: FramePool, check: (UInt64) throws(CaptureError) -> Void
  ) throws(CaptureError) -> [AssetDraft] {
    let reader = PictureFile(pool: pool)
    var files: [(name: String, buffer: FrameBuffer)] = []
    var drafts: [AssetDraft] = []
    for (index, change) in changes.enumerated() {
      guard case .create(let asset) = change else { continue }
      let id = RandomToken.make()
      var pictures: [(AssetResource.Kind, Picture)] = [(.photo, asset.photo)]
      if let thumbnail = try reader.thumbnail(of: asset.photo) { pictures.append((.thumbnail, thumbnail)) }
      var resources: [AssetResource] = []
      for (type, picture) in pictures {
        guard let encoding = AssetEncoding(picture.layout.pixelFormat) else {
          throw CaptureError(
            .invalidResource,
            "The library keeps photos in JPEG, HEIC and PNG, not in \(picture.layout.pixelFormat).",
            metadata: ["format": "\(picture.layout.pixelFormat)"], field: "changes[\(index)].create_asset.resources")
        }
        let name = "\(id)\(type == .thumbnail ? "-thumbnail" : "").\(encoding.fileExtension)"
        files.append((name, picture.buffer))
        resources.append(
          AssetResource(
            type: type, encoding: encoding, size: PictureFile.shownSize(of: picture),
            byteCount: UInt64(picture.buffer.count), file: name))
      }
      drafts.append(AssetDraft(id: id, asset: asset, resources: resources))
    }
    try check(files.reduce(0) { $0 + UInt64($1.buffer.count) })
    do throws(CaptureError) {
      for file in files { try contents.write(file.buffer, to: file.name) }
      if !files.isEmpty { try contents.sync() }
    } catch {
      for file in files { contents.discard(file.name) }
      throw error
    }
    return drafts
  }

  /// Does the changes in the database, all or none, and then moves and removes files.
  ///
  /// - Parameter drafts: those of ``write(_:pool:check:)`` for the same changes.
  func commit(
    _ changes: [AssetChange], _ drafts: [AssetDraft]
  ) throws(CaptureError) -> (added: [Asset], events: [AssetEvent]) {
    let names = drafts.flatMap { $0.resources.map(\.file) }
    var (added, removed, events): ([Asset], [String], [AssetEvent]) = ([], [], [])
    do throws(CaptureError) {
      try database.change { tables in
        let now = WallInstant.now()
        var waiting = drafts[...]
        for (index, change) in changes.enumerated() {
          switch change {
          case .create:
            added.append(try tables.insert(waiting.removeFirst(), at: now))
            events.append(.added(added[added.count - 1]))
          case .delete(let id):
            do { removed += try tables.delete(id).resources.map(\.file) } catch var error as CaptureError {
              error.field = "changes[\(index)].delete_asset"
              throw error
            }
            events.append(.deleted(id))
          }
        }
      }
    } catch {
      // A change that may have been made needs its files. Who opens the folder next finds out.
      if !database.isUnsure { for name in names { contents.discard(name) } }
      throw error
    }
    contents.place(names)
    // The changes hold whether the files go now or when the daemon starts again.
    try? remove(removed)
    return (added, events)
  }

  private func remove(_ files: [String]) throws(CaptureError) {
    guard !files.isEmpty else { return }
    try contents.remove(files)
    try database.change { try $0.forget(removed: files) }
  }
}
