public import CaptureCore
internal import Locking
public import Logging
internal import SystemClocks
internal import SystemFiles
internal import VideoCoding

/// The folder of recordings, what it knows about each of them, and its repair after a crash. Thread-safe.
///
/// Methods that touch the disk are asynchronous, and wait for one thread of the store, which does all such work in
/// turn. The files that it opens are read on another thread. What the store returns as finished is on the storage, and
/// never changes any more.
///
/// ``RecordingCatalog`` has what is known and what is on the disk, ``SegmentKeeper`` the segments of continuous
/// recordings, and ``CapturedRecordings`` those whose movies are in the video storage. The store is what all others
/// see.
public final class RecordingStore: Sendable {
  /// The most recordings in the folder: those of a month in segments of a minute, and some more.
  public static let maximumRecordings = 50_000

  /// The folder of the movies of writers, whose clients name no file.
  static let writersFolder = "writers"

  let catalog: RecordingCatalog
  let segments: SegmentKeeper
  private let captured: CapturedRecordings
  /// Reads for clients, so that neither recordings nor their records wait for a client's reads.
  let readingThread = DiskThread(name: "recordings-read")

  /// Opens the folder, and repairs what a daemon left there that did not finish its recordings. Blocks; reads the
  /// indexes of unfinished files in MP4 and QuickTime, and the whole of others.
  ///
  /// - Parameters:
  ///   - folder: the path of the folder. The store makes the folder and its parents if they do not exist.
  ///   - counters: what counts the segments that the store finishes and deletes.
  ///   - videoStorage: where movies are that have no file yet. It is open.
  ///   - boot: the id of this boot. Without it, the wall clock alone tells the age of segments.
  ///   - capacity: the most recordings in the folder. Segments leave a hundredth of the places to clients.
  /// - Throws: `processingFailed` when the folder cannot be used, or when another daemon uses it.
  public init(
    folder path: String, logger: Logger, counters: RecordingCounters = RecordingCounters(), boot: String = "",
    videoStorage: (any MovieStorage)? = nil, capacity: Int = RecordingStore.maximumRecordings
  ) throws(CaptureError) {
    let folder = try RecordingFolder(path: path)
    let repair = RecordingRepair(
      folder: folder, movieInVideoStorage: videoStorage?.movieInside,
      hasVideoStorage: videoStorage?.isReadable ?? false, logger: logger)
    let (records, unrepaired) = repair.run()
    catalog = RecordingCatalog(
      folder, records, videoStorage: videoStorage, capacity: capacity, boot: boot, logger: logger)
    segments = SegmentKeeper(catalog, counters: counters)
    captured = CapturedRecordings(catalog, unrepaired: unrepaired)
    videoStorage?.whenLeftMovieIsGone { [weak captured] in captured?.leftMovieIsGone($0) }
  }

  /// Lets another daemon have the folder when this method returns. The caller calls no other method after it.
  public func close() async {
    try? await thread.perform { [catalog] () throws(CaptureError) in catalog.folder.records.unlock() }
  }

  /// The absolute path of a recording's file.
  public func path(of record: RecordingRecord) -> String { catalog.path(of: record) }

  var folder: RecordingFolder { catalog.folder }
  /// Does what touches the folder, in turn.
  var thread: DiskThread { catalog.thread }
  var videoStorage: (any MovieStorage)? { catalog.videoStorage }

  /// Deletes the segments of a session that its retention does not keep. Blocks.
  ///
  /// - Parameter session: the id of the session.
  public func retain(_ retention: Retention, of session: String) { _ = segments.enforce(retention, of: session) }

  /// Whether the movie of a recording is in the video storage, also while it moves.
  func isInVideoStorage(_ record: RecordingRecord) -> Bool { catalog.isInVideoStorage(record) }

  /// Writes how a recording ended whose whole movie is in the video storage.
  func saveEnd(of record: RecordingRecord) async { await captured.saveEnd(of: record) }

  // MARK: Making recordings

  /// Writes the record of a recording that is about to begin, and makes the folders of its file. The file itself is
  /// not made.
  ///
  /// - Parameters:
  ///   - session: the id of the session; empty for the movie of a writer.
  ///   - output: the id of the session's output; empty for the movie of a writer.
  ///   - file: the path that the client names, by the rules of ``RecordingFileName``. With an empty path the store
  ///     chooses one.
  ///   - size: the size of the pictures.
  /// - Throws: `invalidArgument` for a path that breaks the rules; `recordingExists` when the file exists or belongs to
  ///   another recording; `tooManyRequests` when the folder is full; `diskFull` when the limits leave no space;
  ///   `processingFailed` when the disk fails.
  public func reserve(
    session: String, output: String, file: String = "", settings: RecordingSettings, size: Size
  ) async throws(CaptureError) -> RecordingRecord {
    let (id, now, container) = (RecordingCatalog.makeID(), WallInstant.now(), settings.container)
    let name =
      file.isEmpty
      ? RecordingFileName(
        session: session.isEmpty ? Self.writersFolder : session, id: id, time: now, container: container)
      : try RecordingFileName(file, container: container)
    var reserved = RecordingRecord(
      id: id, session: session, output: output, file: name.path, container: container, codec: settings.pictures.codec,
      size: size, requestTime: now)
    reserved.usesVideoStorage = settings.usesVideoStorage
    let record = reserved
    return try await thread.perform { [self] () throws(CaptureError) in
      try checkSpace(settings.limits)
      try catalog.add(record, name)
      return record
    }
  }

  /// Checks that a recording with these limits has space. Blocks.
  private func checkSpace(_ limits: RecordingLimits) throws(CaptureError) {
    guard let least = limits.freeSpace, let free = folder.space?.free,
      !DiskShare(needed: 1, leftToOthers: least).fits(free)
    else { return }
    throw CaptureError(
      .diskFull,
      "The file system of the recordings has \(free) free bytes, and the recording is to leave \(least); free some "
        + "space, or ask for less min_free_disk_space.",
      metadata: ["free_bytes": "\(free)", "min_free_disk_space": "\(least)"])
  }

  /// Takes what a recording has become. The disk gets the record when the recording has its first frame, and with the
  /// first frame after each pause, so that the times of its frames outlive a crash. Does not block. A recording that is
  /// finished or deleted stays so.
  ///
  /// - Parameter record: the record, in a state before `finished`.
  public func update(_ record: RecordingRecord) { catalog.update(record) }

  /// Puts a recording that has ended, and whose recorder has closed the file, on the storage. Only when this method has
  /// returned may a client learn that the recording is finished.
  ///
  /// - Parameter record: the record. Its state becomes `finished`.
  /// - Throws: `processingFailed` when the disk fails; the recording is finished for this run of the daemon, and the
  ///   next run repairs it. `recordingNotFound` when the store has no such recording.
  public func finish(_ record: RecordingRecord) async throws(CaptureError) {
    var record = record
    record.state = .finished
    let finished = record
    do throws(CaptureError) {
      try await thread.perform { [self] () throws(CaptureError) in try catalog.complete(finished) }
    } catch {
      fail(finished, error)
      throw error
    }
  }

  /// Takes a recording as finished that could not be put on the storage. The next run of the daemon repairs it.
  func fail(_ finished: RecordingRecord, _ error: CaptureError) { catalog.fail(finished, error) }
}

/// Movies whose index comes first, so that they play over a network after a small download.
extension RecordingStore {
  /// Replaces the file of a recording by one with its index in front. The recorder has closed the file, and the record
  /// on the storage does not say yet that the recording is finished. Files that are open stay as they are.
  ///
  /// - Parameters:
  ///   - record: the record, which is not finished.
  ///   - copies: makes the copy.
  ///   - freeSpace: the free space of the file system that the copy leaves, in bytes.
  /// - Returns: the record with the size of the new file. When there is no new file, the record as it was: the log says
  ///   why.
  func optimize(
    _ record: RecordingRecord, by copies: SeekableCopies, leaving freeSpace: UInt64
  ) async -> RecordingRecord {
    do throws(CaptureError) {
      return try await copies.perform { [self] isCancelled throws(CaptureError) in
        let draft = SeekableDraft(folder: folder, record: record, freeSpace: freeSpace)
        let size = try draft.make(isCancelled)
        return try replaceFile(of: record, size: size)
      }
    } catch {
      catalog.logger.warning(
        "A movie was not optimized for network use, and stays as it was recorded.",
        metadata: [
          "recording.id": "\(record.id)", "recording.file": "\(record.file)", "error.message": "\(error.message)",
        ])
      return record
    }
  }

  /// Puts the draft of a recording in the place of its file.
  private func replaceFile(of record: RecordingRecord, size: UInt64) throws(CaptureError) -> RecordingRecord {
    var optimized = record
    optimized.isOptimizedForNetworkUse = true
    optimized.tally.fileSize = size
    do throws(CaptureError) {
      let name = try RecordingFileName(record.file, container: record.container)
      // The system frees the blocks of the old file when it is closed. Nobody waits for that while it is open here.
      let old = try folder.open(name)
      // Nobody opens the new file with the length of the old one.
      try catalog.files.withLock { _ throws(CaptureError) in
        try folder.replace(name, byDraftOf: record.id)
        catalog.entries.withLock { $0[record.id] = RecordingCatalog.Entry(optimized) }
      }
      withExtendedLifetime(old) {}
    } catch {
      folder.records.removeDraft(of: record.id)
      throw error
    }
    return optimized
  }
}
