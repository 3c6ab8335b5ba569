internal import CaptureCore
internal import Glibc
internal import Locking
internal import Logging
internal import Synchronization
internal import SystemClocks
internal import SystemFiles
internal import VideoCoding

/// The segments of continuous recordings. The methods that say so run on the store's thread.
extension RecordingStore {
  /// Deletes the segments of a session that its retention does not keep. Blocks.
  ///
  /// - Parameter session: the id of the session.
  public func retain(_ retention: Retention, of session: String) { _ = enforce(retention, of: session) }

  /// Deletes the segments of a session that its retention does not keep, and tells whether the session leaves enough
  /// space to others then. On the store's thread, or before the store is used.
  ///
  /// - Parameter places: how many places the folder must have for further segments.
  func enforce(_ retention: Retention, of session: String, places: Int = 0) -> Bool {
    guard !retention.isUnlimited else { return true }
    let clock = RetentionClock.now(boot: boot)
    var (segments, times, count) = ([] as [Retention.Segment], [] as [RetentionClock.Times], 0)
    entries.withLock { entries in
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
      retention, segments, space: retention.minimumFreeSpace == nil ? nil : folder.space,
      missingPlaces: count + places - (capacity - placesOfClients))
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
    guard let record = entries.withLock({ $0[id]?.record }) else { return }
    try remove(record)
    counters.countSegmentDeleted()
  }

  /// Logs the first failure since a review deleted all that had to go.
  private func log(_ failure: (id: String, error: CaptureError)?, of session: String) {
    let isNew = undeletable.withLock { sessions in
      guard failure != nil else { return sessions.remove(session) != nil }
      return sessions.insert(session).inserted
    }
    guard let failure, isNew else { return }
    logger.warning(
      "Segments cannot be deleted. The daemon tries again, and deletes newer ones meanwhile. \(failure.error.message)",
      metadata: ["recording": "\(failure.id)", "session": "\(session)"])
  }

  /// Makes room for a segment, and writes its record, which has the time of the first frame from the start. On the
  /// store's thread.
  func reserve(_ plan: SegmentPlan, startingAt stamp: MonotonicInstant) throws(SegmentRefusal) -> RecordingRecord {
    thread.enqueue { [self] in correctTimes() }
    guard enforce(plan.retention, of: plan.session, places: 1) else { throw .noSpace }
    try checkPlace(plan)
    let (id, time) = (Self.makeID(), WallClock.shared.wallInstant(at: stamp))
    let container = plan.settings.container
    let name = RecordingFileName(session: plan.session, id: id, time: time, container: container)
    var record = RecordingRecord(
      id: id, session: plan.session, output: plan.output, file: name.path, container: container,
      codec: plan.settings.codec, size: plan.size, requestTime: time)
    (record.audioTracks, record.audioCodec) = (plan.settings.audioTracks, plan.settings.audioCodec)
    record.device = plan.settings.device
    record.isSegment = true
    record.number = newestSegment.wrappingAdd(1, ordering: .relaxed).newValue
    record.boot = boot.isEmpty ? nil : boot
    record.state = .recording
    (record.startTime, record.startMonotonic) = (time, stamp)
    do throws(CaptureError) { try add(record, name) } catch { throw SegmentRefusal(error) }
    return record
  }

  /// Checks that the folder has a place for a segment. Warns when a session that keeps all its segments has nearly
  /// filled the folder.
  private func checkPlace(_ plan: SegmentPlan) throws(SegmentRefusal) {
    let (count, most) = (entries.withLock(\.count), capacity - placesOfClients)
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
    logger.warning(
      "The folder of recordings is nearly full, and the session deletes no segments. Give it max-age or another limit.",
      metadata: ["session": "\(plan.session)", "recordings": "\(count)", "limit": "\(most)"])
  }

  /// Puts the name of a segment's file, which was just made, on the storage, and the record when its start has changed
  /// since it was reserved. Does not block.
  func segmentBegan(_ record: RecordingRecord) {
    let hasMoved = take(record)
    thread.enqueue { [self] in save(record, writesRecord: hasMoved) }
  }

  /// Makes the folder of a segment's file again. Blocks.
  func makeFolder(of record: RecordingRecord) throws(CaptureError) {
    _ = try folder.parent(of: RecordingFileName(record.file, container: record.container), creates: true)
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
    thread.start { [self] failure in
      do throws(CaptureError) {
        if let failure { throw failure }
        guard finished.tally.fileSize > 0 else { return try remove(finished) }
        try complete(finished)
        counters.countSegmentFinished()
        _ = enforce(retention, of: finished.session)
      } catch {
        fail(finished, error)
        counters.countFailure()
        logger.warning("\(error.message)", metadata: ["recording": "\(finished.id)"])
      }
    }
  }
}
