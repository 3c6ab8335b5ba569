internal import CaptureCore
internal import Glibc
internal import Locking
internal import Logging
internal import Synchronization
internal import SystemClocks
internal import SystemFiles
internal import VideoCoding

/// The segments of continuous recordings: which of them stay, and the records of those that begin and end. Thread-safe;
/// the methods that say so run on the catalog's thread.
final class SegmentKeeper: Sendable {
  let catalog: RecordingCatalog
  /// What counts the segments that are finished and deleted.
  let counters: RecordingCounters
  /// The most recordings in the folder with segments. The other places are left to clients.
  private let mostSegments: Int
  /// The number of the newest segment.
  private let newestSegment: Atomic<UInt64>
  /// The ids of the sessions of which the newest review could not delete a segment, which was logged.
  private let undeletable = Locked<Set<String>>([])
  /// What the log says about the ages of segments.
  let news = Locked(RetentionNews())
  /// Whether the log says that segments have got other times, because the clock was set.
  private let saysThatClockWasSet = Atomic(false)
  /// Whether the log says that the folder is nearly full.
  private let isNearlyFull = Atomic(false)

  init(_ catalog: RecordingCatalog, counters: RecordingCounters) {
    self.catalog = catalog
    self.counters = counters
    mostSegments = catalog.capacity - catalog.capacity / 100
    newestSegment = Atomic(catalog.entries.withLock { $0.values.map(\.record.number).max() ?? 0 })
  }

  /// Does what touches the folder, in turn.
  var thread: DiskThread { catalog.thread }

  /// The absolute path of a segment's file.
  func path(of record: RecordingRecord) -> String { catalog.path(of: record) }

  /// Takes what a segment has become; see ``RecordingStore/update(_:)``.
  func update(_ record: RecordingRecord) { catalog.update(record) }

  // MARK: What stays

  /// Deletes the segments of a session that its retention does not keep, and tells whether the session leaves enough
  /// space to others then. On the catalog's thread, or before the store is used.
  ///
  /// - Parameter places: how many places the folder must have for further segments.
  func enforce(_ retention: Retention, of session: String, places: Int = 0) -> Bool {
    guard !retention.isUnlimited else { return true }
    let clock = RetentionClock.now(boot: catalog.boot)
    var (segments, times, count) = ([] as [Retention.Segment], [] as [RetentionClock.Times], 0)
    catalog.entries.withLock { entries in
      for entry in entries.values where entry.record.isSegment && entry.record.session == session {
        times.append(RetentionClock.Times(entry.record))
        segments.append(Retention.Segment(entry.record))
      }
      count = entries.count
    }
    let ages = clock.ages(of: times)
    for (index, age) in ages.enumerated() { segments[index].age = age.nanoseconds }
    if retention.maximumAge != nil { logUndated(ages.count { !$0.isDated }, of: session) }
    var review = RetentionReview(
      retention, segments, space: retention.minimumFreeSpace == nil ? nil : catalog.folder.space,
      missingPlaces: count + places - mostSegments)
    var failure: (id: String, error: CaptureError)?
    var isReadOnly = false
    while !isReadOnly, let segment = review.next() {
      do throws(CaptureError) {
        try deleteSegment(segment.id)
        review.noteDeleted(segment)
        logDeletion(of: segment, retention, of: session)
      } catch {
        failure = failure ?? (segment.id, error)
        // No other segment can be deleted then.
        isReadOnly = error.errorNumber == EROFS
      }
    }
    log(failure, of: session)
    return !review.lacksSpace
  }

  private func deleteSegment(_ id: String) throws(CaptureError) {
    guard let record = catalog.entries.withLock({ $0[id]?.record }) else { return }
    try catalog.remove(record)
    counters.countSegmentDeleted()
  }

  /// Logs the first failure since a review deleted all that had to go.
  private func log(_ failure: (id: String, error: CaptureError)?, of session: String) {
    let isNew = undeletable.withLock { sessions in
      guard failure != nil else { return sessions.remove(session) != nil }
      return sessions.insert(session).inserted
    }
    guard let failure, isNew else { return }
    catalog.logger.warning(
      "Segments cannot be deleted. The daemon tries again, and deletes newer ones meanwhile.",
      metadata: [
        "recording.id": "\(failure.id)", "session.id": "\(session)",
        "error.message": "\(failure.error.message)",
      ])
  }

  /// Makes room for a segment, and writes its record, which has the time of the first frame from the start. On the
  /// catalog's thread.
  func reserve(_ plan: SegmentPlan, startingAt stamp: MonotonicInstant) throws(SegmentRefusal) -> RecordingRecord {
    catalog.thread.enqueue { [self] in correctTimes() }
    guard enforce(plan.retention, of: plan.session, places: 1) else { throw .noSpace }
    try checkPlace(plan)
    let (id, time) = (RecordingCatalog.makeID(), WallClock.shared.wallInstant(at: stamp))
    let container = plan.settings.container
    let name = RecordingFileName(session: plan.session, id: id, time: time, container: container)
    var record = RecordingRecord(
      id: id, session: plan.session, output: plan.output, file: name.path, container: container,
      codec: plan.settings.pictures.codec, size: plan.size, requestTime: time)
    (record.audioTracks, record.audioCodec) = (plan.settings.sound.tracks, plan.settings.sound.codec)
    record.device = plan.settings.device
    record.isSegment = true
    record.number = newestSegment.wrappingAdd(1, ordering: .relaxed).newValue
    record.boot = catalog.boot.isEmpty ? nil : catalog.boot
    record.state = .recording
    (record.startTime, record.startMonotonic) = (time, stamp)
    do throws(CaptureError) { try catalog.add(record, name) } catch { throw SegmentRefusal(error) }
    return record
  }

  /// Checks that the folder has a place for a segment. Warns when a session that keeps all its segments has nearly
  /// filled the folder.
  private func checkPlace(_ plan: SegmentPlan) throws(SegmentRefusal) {
    let (count, most) = (catalog.entries.withLock(\.count), mostSegments)
    guard count < most else {
      throw SegmentRefusal(
        CaptureError(
          .tooManyRequests,
          "The folder has \(count) recordings already, and keeps the other places for clients; delete some first.",
          metadata: ["limit": "\(most)"]))
    }
    guard plan.retention.isUnlimited, count >= most / 10 * 9,
      !isNearlyFull.exchange(true, ordering: .relaxed)
    else { return }
    catalog.logger.warning(
      "The folder of recordings is nearly full, and the session deletes no segments. Give it max-age or another limit.",
      metadata: ["session.id": "\(plan.session)", "recording.count": "\(count)", "recording.limit": "\(most)"])
  }

  /// Puts the name of a segment's file, which was just made, on the storage, and the record when its start has changed
  /// since it was reserved. Does not block.
  func segmentBegan(_ record: RecordingRecord) {
    let hasMoved = catalog.take(record)
    catalog.thread.enqueue { [catalog] in catalog.save(record, writesRecord: hasMoved) }
  }

  /// Makes the folder of a segment's file again. Blocks.
  func makeFolder(of record: RecordingRecord) throws(CaptureError) {
    _ = try catalog.folder.parent(of: RecordingFileName(record.file, container: record.container), creates: true)
  }

  /// Puts a segment that has ended, and whose file is closed, on the storage. Does not block. The record says that the
  /// segment is finished when that is done. A segment of which nothing plays leaves no record. When the disk fails, the
  /// segment is finished for this run of the daemon, and its end says why.
  ///
  /// - Parameter retention: what decides then whether older segments have to go for it.
  func segmentEnded(_ record: RecordingRecord, _ retention: Retention) {
    var record = record
    record.state = .finished
    let finished = record
    catalog.thread.start { [self] failure in
      do throws(CaptureError) {
        if let failure { throw failure }
        guard finished.tally.fileSize > 0 else { return try catalog.remove(finished) }
        try catalog.complete(finished)
        counters.countSegmentFinished()
        _ = enforce(retention, of: finished.session)
      } catch {
        catalog.fail(finished, error)
        counters.countFailure()
        catalog.logger.warning(
          "A segment cannot be finished.",
          metadata: ["recording.id": "\(finished.id)", "error.message": "\(error.message)"])
      }
    }
  }

  // MARK: Times

  /// The most records that are corrected for one segment. Each one waits for the disk, and the next segment must not
  /// wait for many.
  private static let batch = 64

  /// Puts the true times of segments on the storage once they are known. On the catalog's thread, after a segment has
  /// been reserved.
  ///
  /// The names of the files stay, although they begin with the wrong time: players and links know them, and the record
  /// alone says what a file is.
  func correctTimes() {
    let correction = TimeCorrection.now(boot: catalog.boot)
    let corrected = catalog.entries.withLock { entries in
      let found = Array(entries.values.lazy.compactMap { correction.corrected($0.record) }.prefix(Self.batch))
      for record in found { entries[record.id]?.record = record }
      return found
    }
    for record in corrected {
      do throws(CaptureError) { try catalog.folder.records.write(record) } catch {
        catalog.logger.warning(
          "The true time of a segment cannot be saved.",
          metadata: ["recording.id": "\(record.id)", "error.message": "\(error.message)"])
      }
    }
    guard !corrected.isEmpty, !saysThatClockWasSet.exchange(true, ordering: .relaxed) else { return }
    catalog.logger.info("The wall clock has been set, so segments that were recorded before have their true times now.")
  }
}
