public import CaptureCore
internal import Locking
internal import Logging
internal import Synchronization
internal import SystemClocks
internal import SystemFiles
internal import VideoCoding
public import VideoStorage

/// What the daemon knows of each recording, and its record on the disk: the part of the store that all its others
/// share. Thread-safe.
final class RecordingCatalog: Sendable {
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
  /// Does what touches the folder, in turn.
  let thread = DiskThread(name: "recordings")
  let logger: Logger
  /// Where movies are that have no file yet; nil for none.
  let videoStorage: (any MovieStorage)?
  /// The most recordings in the folder.
  let capacity: Int
  /// The id of this boot. Empty when nobody knows it.
  let boot: String

  /// - Parameter records: what the folder has, all finished.
  init(
    _ folder: RecordingFolder, _ records: [RecordingRecord], videoStorage: (any MovieStorage)?, capacity: Int,
    boot: String, logger: Logger
  ) {
    self.folder = folder
    entries = Locked(Dictionary(uniqueKeysWithValues: records.map { ($0.id, Entry($0)) }))
    self.videoStorage = videoStorage
    self.capacity = capacity
    self.boot = boot
    self.logger = logger
  }

  /// The absolute path of a recording's file.
  func path(of record: RecordingRecord) -> String { "\(folder.path)/\(record.file)" }

  /// What is known of a recording.
  ///
  /// - Throws: `recordingNotFound`.
  func known(_ id: String) throws(CaptureError) -> Entry {
    guard let entry = entries.withLock({ $0[id] }) else { throw .noRecording(id) }
    return entry
  }

  /// The name of a recording's file.
  func name(of record: RecordingRecord) throws(CaptureError) -> RecordingFileName {
    try RecordingFileName(record.file, container: record.container)
  }

  /// A record with its true times, as far as the clocks tell them now.
  func dated(_ record: RecordingRecord) -> RecordingRecord {
    TimeCorrection.now(boot: boot).corrected(record) ?? record
  }

  /// Whether the movie of a recording is in the video storage, also while it moves.
  func isInVideoStorage(_ record: RecordingRecord) -> Bool {
    guard let movie = videoStorage?.movieInside else { return false }
    return movie == path(of: record)
  }

  /// The error of a file that is not there yet.
  func inVideoStorage(_ record: RecordingRecord) -> CaptureError {
    CaptureError(
      .recordingInProgress,
      "The movie of the recording \(record.id) is in the video storage, and has no file yet; try again when "
        + "WatchVideoStorage tells that the storage is not busy.",
      metadata: ["recording": record.id])
  }

  // MARK: Changing

  /// 128 random bits.
  static func makeID() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Writes a record that is new. On the catalog's thread.
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

  /// Takes what a recording has become; see ``RecordingStore/update(_:)``. Does not block.
  func update(_ record: RecordingRecord) {
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

  /// Puts the name of a recording's file on the storage, and the newest record of it if wanted. On the catalog's
  /// thread.
  func save(_ record: RecordingRecord, writesRecord: Bool) {
    let newest = entries.withLock { $0[record.id]?.record }
    guard let newest, newest.state != .finished else { return }
    do throws(CaptureError) {
      if writesRecord { try folder.records.write(newest) }
      try folder.sync(try RecordingFileName(newest.file, container: newest.container))
    } catch {
      logger.warning(
        "The daemon cannot save what a recording has become.",
        metadata: ["recording.id": "\(record.id)", "error.message": "\(error.message)"])
    }
  }

  /// Puts a finished recording on the storage. On the catalog's thread.
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

  /// The record with its form, for a recording that has just finished. Blocks.
  func withForm(_ record: RecordingRecord) -> RecordingRecord {
    guard record.needsForm, let name = try? RecordingFileName(record.file, container: record.container),
      let file = try? folder.open(name)
    else { return record }
    var record = record
    record.form = try? file.form(record.container)
    return record
  }

  /// Deletes a recording. On the catalog's thread.
  func remove(_ record: RecordingRecord) throws(CaptureError) {
    // The record goes last, so that a crash in between leaves no file without a record.
    let name = try name(of: record)
    if record.isLost { folder.removeEmptyFolders(of: name) } else { try folder.remove(name) }
    try folder.records.remove(record.id)
    entries.withLock { $0[record.id] = nil }
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

/// What the store of recordings must know of the video storage: which movie is in there and has no file, and what
/// becomes of a movie whose recording has ended. See ``VideoStorage`` for the methods.
public protocol MovieStorage: Sendable {
  var isReadable: Bool { get }
  var movieInside: String? { get }
  func giveUp(_ target: String) async throws(CaptureError)
  func whenLeftMovieIsGone(_ body: @escaping @Sendable (LeftMovie) -> Void)
}

extension VideoStorage: MovieStorage {}
