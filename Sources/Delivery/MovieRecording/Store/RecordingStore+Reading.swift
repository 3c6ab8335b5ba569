public import CaptureCore
internal import Locking
public import SystemClocks
internal import VideoCoding

/// Finding, reading and deleting recordings.
extension RecordingStore {
  /// The recordings, the newest first.
  ///
  /// - Parameters:
  ///   - session: only recordings of the session with this id; nil is all.
  ///   - state: only recordings in this state; nil is all.
  ///   - span: only recordings of which a part lies in this time; nil is all.
  /// - Throws: `processingFailed` when the system cannot create a thread.
  public func records(
    session: String? = nil, state: RecordingRecord.State? = nil, during span: Range<WallInstant>? = nil
  ) async throws(CaptureError) -> [RecordingRecord] {
    let correction = TimeCorrection.now(boot: catalog.boot)
    return try await thread.perform { [self] () throws(CaptureError) in
      let found = catalog.entries.withLock { entries in
        entries.values.map { correction.corrected($0.record) ?? $0.record }.filter { record in
          (session == nil || record.session == session) && (state == nil || record.state == state)
            && (span.map(record.overlaps) ?? true)
        }
      }
      return found.sorted { $0.isNewer(than: $1) }.map(looked)
    }
  }

  /// The recording with this id.
  ///
  /// - Throws: `recordingNotFound`; `processingFailed` when the system cannot create a thread.
  public func record(_ id: String) async throws(CaptureError) -> RecordingRecord {
    try await thread.perform { [self] () throws(CaptureError) in looked(catalog.dated(try catalog.known(id).record)) }
  }

  /// Opens the file of a recording.
  ///
  /// - Throws: `recordingNotFound` when the store has no such recording, or its file is gone or has nothing that plays;
  ///   `recordingInProgress` when nothing plays yet, and while the movie is in the video storage; `processingFailed`
  ///   when the disk fails.
  public func open(_ id: String) async throws(CaptureError) -> RecordingFile {
    try await thread.perform { [self] () throws(CaptureError) in try openAndWait(id) }
  }

  /// Does the same as ``open(_:)``, and blocks.
  func openAndWait(_ id: String) throws(CaptureError) -> RecordingFile {
    try catalog.files.withLock { _ throws(CaptureError) in try openLocked(id) }
  }

  private func openLocked(_ id: String) throws(CaptureError) -> RecordingFile {
    let entry = try catalog.known(id)
    let record = entry.record
    if isInVideoStorage(record) { throw catalog.inVideoStorage(record) }
    guard record.tally.fileSize > 0 else {
      if record.state != .finished {
        throw CaptureError(
          .recordingInProgress, "Nothing of the recording \(id) plays yet; try again in a few seconds.",
          metadata: ["recording": id])
      }
      throw CaptureError(
        .recordingNotFound, "The recording \(id) has no file that plays.", metadata: ["recording": id])
    }
    do throws(CaptureError) {
      return try RecordingFile(try folder.open(try catalog.name(of: record)), of: entry, thread: readingThread)
    } catch {
      if folder.has(try catalog.name(of: record)) != false { throw error }
      throw CaptureError(
        .recordingNotFound, "The file \(record.file) of the recording \(id) is gone.",
        metadata: ["recording": id, "file": record.file])
    }
  }

  /// Deletes a recording: its file, its record, and folders that are empty then. A file that is open stays readable. A
  /// movie that could not leave the video storage is given up.
  ///
  /// - Throws: `recordingNotFound`; `recordingInProgress` when the recording is not finished; `processingFailed` when
  ///   the disk fails.
  public func delete(_ id: String) async throws(CaptureError) {
    let ended = catalog.entries.withLock { $0[id]?.record }
    if let ended, ended.state == .finished, isInVideoStorage(ended) { try await videoStorage?.giveUp(path(of: ended)) }
    try await thread.perform { [self] () throws(CaptureError) in
      let record = try catalog.known(id).record
      if record.state == .finished, isInVideoStorage(record) { throw catalog.inVideoStorage(record) }
      guard record.state == .finished else {
        let advice =
          record.state == .finishing
          ? "is being completed; try again when it has finished"
          : "is not finished; stop \(record.isSegment ? "its session" : "it") first"
        throw CaptureError(.recordingInProgress, "The recording \(id) \(advice).", metadata: ["recording": id])
      }
      try catalog.remove(record)
    }
  }

  /// All recordings, in no order, without a look at their files. Does not wait for the disk.
  public var allRecords: [RecordingRecord] {
    let correction = TimeCorrection.now(boot: catalog.boot)
    return catalog.entries.withLock { $0.values.map { correction.corrected($0.record) ?? $0.record } }
  }

  /// The records after a look at their files.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread.
  public func looked(at records: [RecordingRecord]) async throws(CaptureError) -> [RecordingRecord] {
    try await thread.perform { [self] () throws(CaptureError) in records.map(looked) }
  }

  /// Whether the file of a recording is there. True where nothing can be learned.
  func hasFile(of record: RecordingRecord) async -> Bool {
    let found = try? await thread.perform { [self] () throws(CaptureError) in folder.has(try catalog.name(of: record)) }
    return found ?? true
  }

  /// The record after a look at its file.
  private func looked(_ record: RecordingRecord) -> RecordingRecord {
    var record = record
    record.isUsable =
      record.tally.fileSize > 0 && !isInVideoStorage(record)
      && (try? catalog.name(of: record)).flatMap(folder.has) == true
    return record
  }
}

/// What the files of recordings say once about their tracks. A finished recording keeps it in its record, so that
/// nobody has to open thousands of files to list the spans of time that were recorded.
extension RecordingStore {
  /// The records with their forms. Opens the files of those whose form is not known yet, which are those that are being
  /// recorded. A file that cannot be read leaves the form open.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread.
  func withForms(_ records: [RecordingRecord]) async throws(CaptureError) -> [RecordingRecord] {
    var known = catalog.entries.withLock { entries in
      records.map { record in
        var record = record
        record.form = record.form ?? entries[record.id]?.form
        return record
      }
    }
    let unknown = known.indices.filter { known[$0].needsForm && !isInVideoStorage(known[$0]) }
    guard !unknown.isEmpty else { return known }
    let wanted = unknown.map { known[$0] }
    let found = try await readingThread.perform { [self] () throws(CaptureError) in wanted.map(readForm) }
    for (index, form) in zip(unknown, found) { known[index].form = form }
    return known
  }

  /// Reads the form of a recording's file, and remembers it. Nil when the file cannot be read. Blocks.
  private func readForm(of record: RecordingRecord) -> MovieForm? {
    guard let form = try? openAndWait(record.id).form(record.container) else { return nil }
    catalog.entries.withLock { $0[record.id]?.form = form }
    return form
  }
}

extension RecordingRecord {
  /// Whether the file says what nobody has looked at yet.
  var needsForm: Bool { form == nil && tally.fileSize > 0 && container.hasIndex }
}
