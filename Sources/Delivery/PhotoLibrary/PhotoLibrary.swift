public import CaptureCore
internal import Locking
public import Logging
public import SystemClocks
internal import SystemFiles

/// The photos that outlive their sessions and the daemon: a folder with a database and the files of the photos.
/// Thread-safe.
///
/// Nothing touches the disk before the first call, so that a library costs nothing while a camera starts. All work on
/// the disk is done on two threads of the library: changes on one, and reads, which never wait for a change, on the
/// other.
public final class PhotoLibrary: Sendable {
  /// The latest time of a capture: the integers of SQLite have 64 bits with a sign.
  public static let latestTime = WallInstant(nanoseconds: UInt64(Int64.max))
  /// The most changes of one call of ``perform(_:)``.
  public static let maximumChanges = 100
  /// The free bytes of the disk that the library leaves to others, to the database of the library above all.
  private static let leftToOthers: UInt64 = 64 << 20

  /// What happens to assets, in the order of the changes.
  public let events = EventLog<AssetEvent>()
  private let path: String
  private let quota: UInt64?
  private let logger: Logger
  private let changing = DiskThread(name: "library")
  private let reading = DiskThread(name: "library-read")
  /// The opened folder. Nil before the first call, and after ``close()``.
  private let opened = Locked<OpenLibrary?>(nil)
  private let isClosed = Locked(false)
  /// Where the bytes of pictures lie that a client adds or asks for.
  public let pool = FramePool(budget: 256 << 20)

  /// Makes a library without touching the disk.
  ///
  /// - Parameters:
  ///   - folder: the path of the folder, which is made when it is needed.
  ///   - quota: the most bytes of all files; nil for no limit but the disk.
  public init(folder: String, quota: UInt64?, logger: Logger) {
    (path, self.quota, self.logger) = (folder, quota, logger)
  }

  /// Lets another daemon have the folder. Calls that come later throw `shuttingDown`.
  public func close() async {
    isClosed.withLock { $0 = true }
    try? await changing.perform { [self] () throws(CaptureError) in opened.withLock { $0.take() }?.close() }
  }

  /// Does all changes, or none. When this method returns, they are on the storage: no crash and no power failure takes
  /// them back. Changes whose caller is gone before they begin are not made.
  ///
  /// - Returns: the assets that were made, in the order of the changes that made them.
  /// - Throws: `assetNotFound`; `invalidResource` for a photo in a format that the library does not keep; `libraryFull`
  ///   when the files would exceed the quota; `diskFull`; `libraryUnavailable`; `processingFailed` when the disk fails,
  ///   which may leave it open whether the changes were made; `operationInterrupted` for a caller that is gone.
  public func perform(_ changes: [AssetChange]) async throws(CaptureError) -> [Asset] {
    defer { pool.reclaim() }
    let isCancelled = Locked(false)
    let result: Result<[Asset], CaptureError> = await withTaskCancellationHandler {
      do throws(CaptureError) {
        return .success(
          try await changing.perform { [self] () throws(CaptureError) in
            if isCancelled.withLock({ $0 }) {
              throw CaptureError(.operationInterrupted, "The caller left before the library made the changes.")
            }
            return try make(changes)
          })
      } catch { return .failure(error) }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
    return try result.get()
  }

  /// Makes the changes. Only for their thread.
  private func make(_ changes: [AssetChange]) throws(CaptureError) -> [Asset] {
    let library = try self.library()
    defer {
      // Opening the folder again finds out which changes it has.
      if library.database.isUnsure { opened.withLock { $0.take() }?.close() }
    }
    let drafts = try library.write(changes, pool: pool) { bytes throws(CaptureError) in
      try check(bytes, changes, library)
    }
    let done = try library.commit(changes, drafts)
    for event in done.events { events.append(event) }
    return done.added
  }

  /// Checks that the new files of changes, which have so many bytes, have room. Deleted files make room in the quota,
  /// but on the disk only after the new ones are there.
  private func check(_ bytes: UInt64, _ changes: [AssetChange], _ library: OpenLibrary) throws(CaptureError) {
    guard bytes > 0 else { return }
    let used = try library.database.read { tables in
      let freed = changes.reduce(into: Set<String>()) { freed, change in
        if case .delete(let id) = change { freed.insert(id) }
      }
      // The transaction says that an asset is not there, and in which change.
      return freed.reduce(try tables.usage().bytes) { $0 - min($0, (try? tables.asset($1).byteCount) ?? 0) }
    }
    if let quota, used + bytes > quota {
      throw CaptureError(
        .libraryFull,
        "The photo library has \(used) of \(quota) bytes, and \(bytes) more do not fit; delete photos, or raise "
          + "library-quota.",
        metadata: ["used_bytes": "\(used)", "quota_bytes": "\(quota)", "needed_bytes": "\(bytes)"])
    }
    let free = library.contents.space?.free
    guard DiskShare(needed: bytes, leftToOthers: Self.leftToOthers).fits(free) else {
      throw CaptureError(
        .diskFull,
        "The disk of the photo library has \(free ?? 0) free bytes, and the photos need \(bytes) and leave "
          + "\(Self.leftToOthers) to others; free some space.",
        metadata: ["free_bytes": "\(free ?? 0)", "needed_bytes": "\(bytes)"])
    }
  }

  // MARK: Reading

  /// The asset with this id.
  ///
  /// - Throws: `assetNotFound`, `libraryUnavailable`, `processingFailed`.
  public func asset(_ id: String) async throws(CaptureError) -> Asset {
    try await read { library throws(CaptureError) in try library.database.read { try $0.asset(id) } }
  }

  /// Some assets of a list, which begins with those that were captured last.
  ///
  /// - Parameters:
  ///   - position: the place in the list behind which the assets stand; nil for the beginning.
  ///   - limit: the most assets.
  public func assets(
    _ filter: AssetFilter, after position: AssetPosition? = nil, atMost limit: Int
  ) async throws(CaptureError) -> [Asset] {
    try await read { library throws(CaptureError) in
      try library.database.read { try $0.assets(filter, after: position, atMost: limit) }
    }
  }

  /// The thumbnails of assets, in their order; nil for an asset without one, and for one that was deleted.
  public func thumbnails(of assets: [Asset]) async throws(CaptureError) -> [[UInt8]?] {
    try await read { library throws(CaptureError) in
      assets.map { asset in
        guard let resource = asset.thumbnail, let file = try? library.contents.open(resource.file) else { return nil }
        return try? file.read(at: 0, count: Int(resource.byteCount), ContentFolder.reading)
      }
    }
  }

  /// Opens the file of an asset's photo.
  ///
  /// - Throws: `assetNotFound`; `processingFailed` when the file is gone.
  public func open(_ id: String) async throws(CaptureError) -> AssetFile {
    try await read { [reading] library throws(CaptureError) in
      let asset = try library.database.read { try $0.asset(id) }
      guard let photo = asset.photo else { throw .noAsset(id) }
      return AssetFile(asset: asset, photo: photo, try library.contents.open(photo.file), thread: reading)
    }
  }

  /// Does work that waits for files of the library or takes a processor for long.
  func read<R: Sendable>(
    _ body: @escaping @Sendable (OpenLibrary) throws(CaptureError) -> R
  ) async throws(CaptureError) -> R {
    let library = try await openedLibrary()
    return try await reading.perform { () throws(CaptureError) in try body(library) }
  }

  /// The open folder, for all threads.
  private func openedLibrary() async throws(CaptureError) -> OpenLibrary {
    if let library = opened.withLock({ $0 }) { return library }
    // Only the thread of the changes opens the folder, so that it is opened once.
    return try await changing.perform { [self] () throws(CaptureError) in try library() }
  }

  /// The open folder. Only for the thread of the changes.
  private func library() throws(CaptureError) -> OpenLibrary {
    if isClosed.withLock({ $0 }) { throw CaptureError(.shuttingDown, "The daemon is shutting down.") }
    if let library = opened.withLock({ $0 }) { return library }
    let library = try OpenLibrary(path: path, logger: logger)
    opened.withLock { $0 = library }
    return library
  }
}

/// The file of an asset's photo, open for reading. It stays readable when the asset is deleted. Thread-safe.
public final class AssetFile: Sendable {
  /// The most bytes of one read.
  public static let maximumRead = 1 << 20

  /// The asset as it was when the file was opened.
  public let asset: Asset
  /// What the file is.
  public let photo: AssetResource
  private let descriptor: Descriptor
  private let thread: DiskThread

  fileprivate init(asset: Asset, photo: AssetResource, _ descriptor: Descriptor, thread: DiskThread) {
    (self.asset, self.photo, self.descriptor, self.thread) = (asset, photo, descriptor, thread)
  }

  /// The error for a file that has fewer bytes than the database says.
  public var isShort: CaptureError {
    CaptureError(
      .processingFailed, "The file of asset \(asset.id) is shorter than it was.", metadata: ["asset": asset.id])
  }

  /// Reads bytes.
  ///
  /// - Parameter count: how many bytes are wanted; more than ``maximumRead`` means ``maximumRead``.
  /// - Returns: fewer bytes at the end of the file.
  /// - Throws: `processingFailed` when the disk fails.
  public func read(at offset: UInt64, count: Int) async throws(CaptureError) -> [UInt8] {
    let wanted = min(max(0, count), Self.maximumRead)
    return try await thread.perform { [descriptor] () throws(CaptureError) in
      try descriptor.read(at: offset, count: wanted, ContentFolder.reading)
    }
  }
}
