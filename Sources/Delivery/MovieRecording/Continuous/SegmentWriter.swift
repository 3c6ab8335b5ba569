internal import CaptureCore
internal import SystemClocks
internal import VideoCoding

/// Writes the samples of a run into one file after the other, each of which plays alone. Thread-bound: only the thread
/// that writes uses it.
///
/// The writer changes files before a key frame, and never leaves out a sample. A slow disk lets the samples wait.
final class SegmentWriter {
  private struct Segment {
    var record: RecordingRecord
    let file: MovieFile
    /// Where the segment begins in the run, in nanoseconds.
    let start: UInt64
  }

  private let desk: SegmentDesk
  private let counters: RecordingCounters
  /// The time stamp of a frame by its time in the run.
  private let stamp: (UInt64) -> MonotonicInstant
  /// Takes out the frames that were lost before a time of the run; nil takes out all.
  private let takeDropped: (UInt64?) -> DropCounts
  private var cuts: MovieCuts
  private var isTooLarge = false
  private var segment: Segment?
  /// Whether a fragment was written.
  private(set) var hasWritten = false

  init(
    _ desk: SegmentDesk, counters: RecordingCounters, stamp: @escaping (UInt64) -> MonotonicInstant,
    takeDropped: @escaping (UInt64?) -> DropCounts
  ) {
    self.desk = desk
    self.counters = counters
    self.stamp = stamp
    self.takeDropped = takeDropped
    cuts = MovieCuts(every: desk.plan.duration)
  }

  /// Writes a sample, if need be into the next segment.
  ///
  /// - Throws: why the run cannot go on. The caller ends the segment with that.
  func append(_ sample: MovieSample, of track: MovieTrack) throws(SegmentRefusal) {
    let time = sample.presentationTime
    let isDue = isTooLarge || cuts.isDue(at: time, lasting: sample.duration)
    if segment == nil || (sample.isKeyFrame && isDue) { try begin(at: time) }
    guard let start = segment?.start, let file = segment?.file else { return }
    let endsFragment: Bool
    do throws(CaptureError) { endsFragment = try file.append(sample.moved(by: start), of: track) } catch {
      throw SegmentRefusal(error)
    }
    if endsFragment { try noteFragment(before: time) }
    segment?.record.duration = time + sample.duration - start
  }

  /// Ends the present segment, whose file is complete when this method returns.
  ///
  /// - Throws: why the file cannot be completed, which its record says too.
  func end(_ reason: RecordingEnd, before time: UInt64? = nil) throws(SegmentRefusal) {
    guard var segment else { return }
    self.segment = nil
    var failure: CaptureError?
    do throws(CaptureError) { try segment.file.finish() } catch { failure = error }
    segment.file.discardIfEmpty()
    note(&segment, before: time)
    segment.record.end = failure.map(RecordingEnd.failed) ?? reason
    desk.store.segmentEnded(segment.record, desk.plan.retention)
    if let failure { throw SegmentRefusal(failure) }
  }

  private func begin(at time: UInt64) throws(SegmentRefusal) {
    let next: Segment
    do throws(SegmentRefusal) { next = try open(at: time) } catch {
      // Nothing follows the present segment, and its end tells why.
      try end(error.end, before: time)
      throw error
    }
    do throws(SegmentRefusal) { try end(.nextSegment, before: time) } catch {
      desk.store.segmentEnded(next.record, desk.plan.retention)
      throw error
    }
    segment = next
    segment?.record.tally.dropped += takeDropped(time)
    cuts.begin(at: time)
    isTooLarge = false
  }

  private func open(at time: UInt64) throws(SegmentRefusal) -> Segment {
    let record = try desk.open(at: time, stamp(time))
    let settings = desk.plan.settings
    do throws(CaptureError) {
      let file = try MovieFile(
        path: desk.store.path(of: record), container: settings.container, fragmentInterval: settings.fragmentInterval)
      return Segment(record: record, file: file, start: time)
    } catch {
      desk.store.segmentEnded(record, desk.plan.retention)
      throw SegmentRefusal(error)
    }
  }

  private func noteFragment(before time: UInt64) throws(SegmentRefusal) {
    note(&segment!, before: time)
    desk.store.update(segment!.record)
    // A segment that alone has too many bytes ends early, so that it can be deleted.
    isTooLarge = segment!.record.tally.fileSize >= desk.plan.retention.maximumBytes ?? .max
    if try desk.enforce().lacksSpace { throw .noSpace }
  }

  /// Notes what plays of the segment, and what it lacks before this time.
  private func note(_ segment: inout Segment, before time: UInt64?) {
    let size = segment.file.size
    counters.count(bytes: size - min(size, segment.record.tally.fileSize))
    if size > 0 { hasWritten = true }
    segment.record.tally.fileSize = size
    segment.record.tally.frames = segment.file.sampleCount
    segment.record.tally.dropped += takeDropped(time)
  }
}

extension MovieSample {
  /// The sample in a movie that begins so many nanoseconds later.
  fileprivate func moved(by start: UInt64) -> MovieSample {
    var moved = self
    moved.presentationTime -= start
    moved.decodeTime -= min(decodeTime, start)
    return moved
  }
}
