internal import CaptureCore
internal import Logging
internal import Synchronization
internal import SystemClocks
internal import VideoCoding

/// The segments of continuous recordings. The methods that say so run on the store's thread.
extension RecordingStore {
  /// Deletes the segments of a session that its retention does not keep. Blocks.
  ///
  /// - Parameter session: the id of the session.
  public func retain(_ retention: Retention, of session: String) { _ = enforce(retention, of: session) }

  /// Deletes the segments of a session that its retention does not keep, and tells whether that is enough. On the
  /// store's thread, or before the store is used.
  func enforce(_ retention: Retention, of session: String) -> Retention.Decision {
    guard !retention.isUnlimited else { return Retention.Decision() }
    let failed = undeletable.withLock { $0 }
    let segments = entries.withLock { entries in
      entries.values.compactMap { entry -> Retention.Segment? in
        let record = entry.record
        guard record.isSegment, record.session == session else { return nil }
        return Retention.Segment(
          id: record.id, start: record.startTime ?? record.requestTime, duration: record.duration,
          bytes: record.tally.fileSize, isDeletable: record.state == .finished && !failed.contains(record.id))
      }
    }
    let decision = retention.decision(
      on: segments, now: .now(), freeSpace: retention.minimumFreeSpace == nil ? nil : folder.freeSpace)
    for id in decision.deleted { deleteSegment(id) }
    return decision
  }

  private func deleteSegment(_ id: String) {
    guard let record = entries.withLock({ $0[id]?.record }) else { return }
    do throws(CaptureError) {
      try remove(record)
      counters.countSegmentDeleted()
    } catch {
      undeletable.withLock { _ = $0.insert(id) }
      logger.warning("\(error.message)", metadata: ["recording": "\(id)", "session": "\(record.session)"])
    }
  }

  /// Makes room for a segment, and writes its record, which has the time of the first frame from the start. On the
  /// store's thread.
  func reserve(_ plan: SegmentPlan, startingAt stamp: MonotonicInstant) throws(SegmentRefusal) -> RecordingRecord {
    if enforce(plan.retention, of: plan.session).lacksSpace { throw .noSpace }
    let (id, time) = (Self.makeID(), WallClock().wallInstant(at: stamp))
    let container = plan.settings.container
    let name = RecordingFileName(session: plan.session, id: id, time: time, container: container)
    var record = RecordingRecord(
      id: id, session: plan.session, output: plan.output, file: name.path, container: container,
      codec: plan.settings.codec, size: plan.size, requestTime: time)
    record.isSegment = true
    record.state = .recording
    (record.startTime, record.startMonotonic) = (time, stamp)
    do throws(CaptureError) { try add(record, name) } catch { throw SegmentRefusal(error) }
    return record
  }

  /// Puts the name of a segment's file on the storage. Does not block.
  func segmentBegan(_ record: RecordingRecord) {
    thread.enqueue { [self] in
      do throws(CaptureError) {
        try folder.sync(try RecordingFileName(record.file, container: record.container))
      } catch {
        logger.warning("\(error.message)", metadata: ["recording": "\(record.id)"])
      }
    }
  }

  /// Puts a segment that has ended, and whose file is closed, on the storage. Does not block. The record says that the
  /// segment is finished when that is done. A segment of which nothing plays leaves no record.
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
        logger.warning("\(error.message)", metadata: ["recording": "\(finished.id)"])
      }
    }
  }
}
