internal import CaptureCore
internal import Locking
internal import SystemClocks

/// Gets the records of a run's segments from the store, ahead of time. Thread-safe.
///
/// When the camera brings the first frame of a segment, the catalog's thread begins to make room and to write the
/// record. The encoder holds the frame for a while, so that the thread that writes hardly ever waits for the record.
final class SegmentDesk: Sendable {
  private struct Reservation: Sendable {
    /// The time of the segment's first frame in the run, in nanoseconds.
    let time: UInt64
    /// Gets the record. Nothing closes it.
    let answer = Mailbox<Result<RecordingRecord, SegmentRefusal>>(depth: 1)
  }

  let plan: SegmentPlan
  let keeper: SegmentKeeper
  private let reservations = Locked<[Reservation]>([])

  init(_ plan: SegmentPlan, in store: RecordingStore) {
    self.plan = plan
    keeper = store.segments
  }

  /// Lets the store prepare a segment. Does not block, so that the capture thread may call it.
  ///
  /// - Parameters:
  ///   - time: the time of its first frame in the run, in nanoseconds.
  ///   - stamp: the time stamp of that frame.
  func prepare(at time: UInt64, _ stamp: MonotonicInstant) {
    let reservation = Reservation(time: time)
    reservations.withLock { $0.append(reservation) }
    keeper.thread.start { [plan, keeper] failure in
      reservation.answer.put(
        Result { () throws(SegmentRefusal) in
          if let failure { throw SegmentRefusal(failure) }
          return try keeper.reserve(plan, startingAt: stamp)
        })
    }
  }

  /// Whether a segment was prepared that begins at this time of the run or before it.
  func hasPrepared(until time: UInt64) -> Bool {
    reservations.withLock { $0.first.map { $0.time <= time } ?? false }
  }

  /// Waits for the record of the segment that begins now, on the thread that writes. When the frame was lost for which
  /// the record was prepared, it gets the time of the frame that begins the segment instead.
  func open(at time: UInt64, _ stamp: MonotonicInstant) throws(SegmentRefusal) -> RecordingRecord {
    var found = takeReservations(until: time)
    if found.isEmpty {
      prepare(at: time, stamp)
      found = takeReservations(until: time)
    }
    let used = found.removeLast()
    for unused in found { abandon(unused) }
    var record = try used.answer.take()!.get()
    if record.startMonotonic != stamp {
      (record.startTime, record.startMonotonic) = (WallClock.shared.wallInstant(at: stamp), stamp)
    }
    return record
  }

  /// Gives back what was prepared and did not begin. Called at the end, on the thread that writes.
  func close() {
    for unused in takeReservations(until: .max) { abandon(unused) }
  }

  /// Deletes what the retention does not keep, and waits for that. Returns whether enough space is left to others.
  func enforce() throws(SegmentRefusal) -> Bool {
    // The catalog's thread may be busy with the reads of clients.
    if plan.retention.isUnlimited { return true }
    do throws(CaptureError) {
      return try keeper.thread.wait { [plan, keeper] () throws(CaptureError) in
        keeper.enforce(plan.retention, of: plan.session)
      }
    } catch {
      throw SegmentRefusal(error)
    }
  }

  private func takeReservations(until time: UInt64) -> [Reservation] {
    reservations.withLock { reservations in
      let found = reservations.prefix { $0.time <= time }
      reservations.removeFirst(found.count)
      return Array(found)
    }
  }

  private func abandon(_ reservation: Reservation) {
    // Without a file the segment has nothing that plays, so the store removes the record.
    if let record = try? reservation.answer.take()!.get() { keeper.segmentEnded(record, plan.retention) }
  }
}

/// What all segments of one run have in common.
struct SegmentPlan: Sendable {
  /// The id of the session.
  var session: String
  /// The id of the session's output.
  var output: String
  /// How each segment is made.
  var settings: RecordingSettings
  /// The duration of a segment, in nanoseconds.
  var duration: UInt64
  var retention: Retention
  /// The size of the pictures.
  var size: Size
}

/// Why a continuous recording cannot go on: there is too little space, or the disk failed.
struct SegmentRefusal: Error {
  let end: RecordingEnd

  static let noSpace = SegmentRefusal(end: .minimumFreeSpace)

  init(_ error: CaptureError) { end = .failed(error) }

  private init(end: RecordingEnd) { self.end = end }
}
