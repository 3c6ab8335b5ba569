public import CaptureCore
internal import Locking
public import Logging
internal import Synchronization
internal import SystemClocks
internal import SystemFiles
internal import VideoCoding

/// The folder of recordings, what it knows about each of them, and its repair after a crash. Thread-safe.
///
/// Methods that touch the disk are asynchronous, and wait for one thread of the store, which does all such work in
/// turn. The files that it opens are read on another thread. What the store returns as finished is on the storage, and
/// never changes any more.
public final class RecordingStore: Sendable {
  /// The most recordings in the folder: those of a month in segments of a minute, and some more.
  public static let maximumRecordings = 50_000

  /// The folder of the movies of writers, whose clients name no file.
  static let writersFolder = "writers"

  struct Entry {
    var record: RecordingRecord
    let length: PlayableLength
    /// As ``RecordingRecord/form``, for a recording whose record does not have it yet.
    var form: MovieForm?

    init(_ record: RecordingRecord) {
      self.record = record
      length = PlayableLength(record.tally.fileSize)
    }
  }

  let folder: RecordingFolder
  let entries: Locked<[String: Entry]>
  /// Held while a file is opened or replaced, so that a file and what is known of it fit each other. Taken before the
  /// lock of the entries, and only on threads that may wait for the disk.
  let files = Locked(())
  let thread = DiskThread(name: "recordings")
  /// Reads for clients, so that neither recordings nor their records wait for a client's reads.
  let readingThread = DiskThread(name: "recordings-read")
  let logger: Logger
  let counters: RecordingCounters
  /// Where movies are that have no file yet; nil for none.
  let videoStorage: (any MovieStorage)?
  /// The record on the disk of a movie that an earlier daemon left in the video storage.
  let unrepaired: Locked<RecordingRecord?>
  /// The most recordings in the folder.
  let capacity: Int
  /// The places in the folder that segments leave to clients.
  let placesOfClients: Int
  /// The id of this boot. Empty when nobody knows it.
  let boot: String
  /// The number of the newest segment.
  let newestSegment: Atomic<UInt64>
  /// The ids of the sessions of which the newest review could not delete a segment, which was logged.
  let undeletable = Locked<Set<String>>([])
  /// What the log says about the ages of segments.
  let news = Locked(RetentionNews())
  /// Whether the log says that segments have got other times, because the clock was set.
  let saysThatClockWasSet = Atomic(false)
  /// Whether the log says that the folder is nearly full.
  let isNearlyFull = Atomic(false)

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
    self.counters = counters
    self.boot = boot
    self.capacity = capacity
    placesOfClients = capacity / 100
    folder = try RecordingFolder(path: path)
    self.logger = logger
    self.videoStorage = videoStorage
    let repair = RecordingRepair(
      folder: folder, movieInVideoStorage: videoStorage?.movieInside,
      hasVideoStorage: videoStorage?.isReadable ?? false, logger: logger)
    let (records, unrepaired) = repair.run()
    self.unrepaired = Locked(unrepaired)
    entries = Locked(Dictionary(uniqueKeysWithValues: records.map { ($0.id, Entry($0)) }))
    newestSegment = Atomic(records.map(\.number).max() ?? 0)
    videoStorage?.whenLeftMovieIsGone { [weak self] in self?.leftMovieIsGone($0) }
  }

  /// Lets another daemon have the folder when this method returns. The caller calls no other method after it.
  public func close() async { try? await thread.perform { [self] () throws(CaptureError) in folder.records.unlock() } }

  /// The absolute path of a recording's file.
  public func path(of record: RecordingRecord) -> String { "\(folder.path)/\(record.file)" }

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
    let (id, now, container) = (Self.makeID(), WallInstant.now(), settings.container)
    let name =
      file.isEmpty
      ? RecordingFileName(
        session: session.isEmpty ? Self.writersFolder : session, id: id, time: now, container: container)
      : try RecordingFileName(file, container: container)
    var reserved = RecordingRecord(
      id: id, session: session, output: output, file: name.path, container: container, codec: settings.codec,
      size: size, requestTime: now)
    reserved.usesVideoStorage = settings.usesVideoStorage
    let record = reserved
    return try await thread.perform { [self] () throws(CaptureError) in
      try checkSpace(settings.limits)
      try add(record, name)
      return record
    }
  }

  /// Checks that a recording with these limits has space. Blocks.
  private func checkSpace(_ limits: RecordingLimits) throws(CaptureError) {
    guard let least = limits.freeSpace, let free = folder.space?.free, free <= least else { return }
    throw CaptureError(
      .diskFull,
      "The file system of the recordings has \(free) free bytes, and the recording is to leave \(least); free some "
        + "space, or ask for less min_free_disk_space.",
      metadata: ["free_bytes": "\(free)", "min_free_disk_space": "\(least)"])
  }

  /// Writes a record that is new. On the store's thread.
  func add(_ record: RecordingRecord, _ name: RecordingFileName) throws(CaptureError) {
    try checkIsFree(name)
    _ = try folder.parent(of: name, creates: true)
    if folder.has(name) != false { throw .exists(name) }
    do throws(CaptureError) {
      try folder.records.write(record)
    } catch {
      folder.removeEmptyFolders(of: name)
      throw error
    }
    entries.withLock { $0[record.id] = Entry(record) }
  }

  private func checkIsFree(_ name: RecordingFileName) throws(CaptureError) {
    let (count, isTaken) = entries.withLock { entries in
      (entries.count, entries.values.contains { $0.record.file == name.path })
    }
    if isTaken { throw .exists(name) }
    guard count < capacity else {
      throw CaptureError(
        .tooManyRequests, "The folder has \(count) recordings already; delete some first.",
        metadata: ["limit": "\(capacity)"])
    }
  }

  /// 128 random bits.
  static func makeID() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Takes what a recording has become. The disk gets the record when the recording has its first frame, and with the
  /// first frame after each pause, so that the times of its frames outlive a crash. Does not block. A recording that is
  /// finished or deleted stays so.
  ///
  /// - Parameter record: the record, in a state before `finished`.
  public func update(_ record: RecordingRecord) {
    guard take(record) else { return }
    thread.enqueue { [self] in save(record, writesRecord: true) }
  }

  /// Takes what a recording has become. Returns whether it has another start or another pause than before. A recording
  /// that is finished or deleted stays so, and so does one whose file was replaced: its recorder knows only the old
  /// file.
  func take(_ record: RecordingRecord) -> Bool {
    var record = dated(record)
    return entries.withLock { entries in
      guard let entry = entries[record.id], entry.record.state != .finished, record.state != .finished,
        entry.record.isOptimizedForNetworkUse == record.isOptimizedForNetworkUse
      else {
        return false
      }
      // Each correction measures the clocks anew, and a segment has one start.
      if let known = entry.record.startTime, known >= RetentionClock.earliest, record.startMonotonic != nil,
        entry.record.startMonotonic == record.startMonotonic
      {
        (record.startTime, record.requestTime) = (known, entry.record.requestTime)
      }
      entries[record.id]!.record = record
      entry.length.value.store(record.tally.fileSize, ordering: .releasing)
      return entry.record.startTime != record.startTime || entry.record.pauses.count != record.pauses.count
    }
  }

  /// Puts the name of a recording's file on the storage, and the newest record of it if wanted. On the store's thread.
  func save(_ record: RecordingRecord, writesRecord: Bool) {
    let newest = entries.withLock { $0[record.id]?.record }
    guard let newest, newest.state != .finished else { return }
    do throws(CaptureError) {
      if writesRecord { try folder.records.write(newest) }
      try folder.sync(try RecordingFileName(newest.file, container: newest.container))
    } catch {
      logger.warning("\(error.message)", metadata: ["recording": "\(record.id)"])
    }
  }

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
      try await thread.perform { [self] () throws(CaptureError) in try complete(finished) }
    } catch {
      fail(finished, error)
      throw error
    }
  }

  /// Puts a finished recording on the storage. On the store's thread.
  func complete(_ finished: RecordingRecord) throws(CaptureError) {
    guard entries.withLock({ $0[finished.id] != nil }) else { throw .noRecording(finished.id) }
    let finished = dated(withForm(finished))
    if finished.tally.fileSize > 0 {
      try folder.sync(try RecordingFileName(finished.file, container: finished.container))
    }
    try folder.records.write(finished)
    settle(finished)
  }

  /// Takes a recording as finished that could not be put on the storage. The next run of the daemon repairs it.
  func fail(_ finished: RecordingRecord, _ error: CaptureError) {
    var failed = finished
    failed.end = finished.end?.followed(by: error) ?? .failed(error)
    settle(failed)
  }

  func settle(_ finished: RecordingRecord) {
    entries.withLock { entries in
      entries[finished.id]?.record = finished
      entries[finished.id]?.length.value.store(finished.tally.fileSize, ordering: .releasing)
    }
  }
}

extension CaptureError {
  fileprivate static func exists(_ name: RecordingFileName) -> CaptureError {
    CaptureError(
      .recordingExists, "The folder of recordings has a file \(name.path) already; name another file.",
      metadata: ["file": name.path], field: "file")
  }

  static func noRecording(_ id: String) -> CaptureError {
    CaptureError(.recordingNotFound, "There is no recording \(id).", metadata: ["recording": String(id.prefix(80))])
  }
}
