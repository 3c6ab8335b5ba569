internal import CaptureCore
internal import Glibc
internal import SystemClocks
internal import VideoCoding

/// Writes the samples of a run into one file after the other, each of which plays alone. Thread-bound: only the thread
/// that writes uses it.
///
/// The writer changes files before the key frame for which a segment was prepared, or before the next key frame when
/// that one was lost. It never leaves out a sample. A slow disk lets the samples wait.
final class SegmentWriter: SampleWriter {
  typealias Failure = SegmentRefusal

  private struct Segment {
    /// Its duration is that of what plays.
    var record: RecordingRecord
    var part: MoviePart

    /// Adds a picture. Returns whether a fragment ended before it.
    mutating func append(_ sample: MovieSample, of track: MovieTrack) throws(CaptureError) -> Bool {
      let duration = part.duration
      guard try part.append(sample, of: track) else { return false }
      record.duration = duration
      return true
    }
  }

  private let desk: SegmentDesk
  private let counters: RecordingCounters
  /// The time stamp of a frame by its time in the run.
  private let stamp: (UInt64) -> MonotonicInstant
  /// Takes out the frames that were lost before a time of the run; nil takes out all.
  private let takeDropped: (UInt64?) -> DropCounts
  /// Called once when ``RetryDelay/steadyDuration`` of the run is on the storage.
  private let whenSteady: () -> Void
  /// The sound of all segments. Nil until ``open()``.
  private var audio: AudioTracks?
  /// How much of each track is silence before the present segment, in nanoseconds.
  private var earlierSilence: [UInt64] = []
  private var isTooLarge = false
  private var segment: Segment?
  /// Whether a fragment was written.
  private(set) var hasWritten = false
  /// How much of the run is on the storage, in nanoseconds.
  private var writtenDuration: UInt64 = 0 {
    didSet {
      let steady = RetryDelay.steadyDuration
      if oldValue < steady, writtenDuration >= steady { whenSteady() }
    }
  }

  init(
    _ desk: SegmentDesk, counters: RecordingCounters, stamp: @escaping (UInt64) -> MonotonicInstant,
    takeDropped: @escaping (UInt64?) -> DropCounts, whenSteady: @escaping () -> Void = {}
  ) {
    self.desk = desk
    self.counters = counters
    self.stamp = stamp
    self.takeDropped = takeDropped
    self.whenSteady = whenSteady
  }

  /// Opens the encoders of sound, before anything is written.
  ///
  /// - Throws: why the run cannot begin.
  func open() throws(SegmentRefusal) {
    do throws(CaptureError) { audio = try desk.plan.settings.sound.open() } catch { throw SegmentRefusal(error) }
  }

  /// Takes a piece of sound, which is written before the next picture.
  ///
  /// - Throws: why the run cannot go on.
  func append(_ piece: AudioPiece) throws(SegmentRefusal) {
    do throws(CaptureError) { try audio?.add(piece) } catch { throw SegmentRefusal(error) }
  }

  /// Writes a sample, if need be into the next segment.
  ///
  /// - Throws: why the run cannot go on. The caller ends the segment with that.
  func append(_ sample: MovieSample, of track: MovieTrack) throws(SegmentRefusal) {
    let time = sample.presentationTime
    // Sound that comes too late for the segment before this one is lost.
    let sound = audio?.take(before: time) ?? []
    do throws(CaptureError) { try segment?.part.append(sound) } catch { throw SegmentRefusal(error) }
    let isDue = isTooLarge || desk.hasPrepared(until: time)
    if segment == nil || (sample.isKeyFrame && isDue) { try begin(at: time) }
    let endsFragment: Bool
    do throws(CaptureError) { endsFragment = try segment!.append(sample, of: track) } catch {
      throw SegmentRefusal(error)
    }
    // A segment that alone has too many bytes ends early, so that it can be deleted.
    if segment!.part.file.sizeWithFragment >= desk.plan.retention.maximumBytes ?? .max { isTooLarge = true }
    if endsFragment { try noteFragment(before: time) }
  }

  /// Ends the present segment, whose file is complete when this method returns. Sound that waits for a picture goes
  /// into it, unless another segment follows.
  ///
  /// - Throws: why the file cannot be completed, which its record says too.
  func end(_ reason: RecordingEnd, before time: UInt64? = nil) throws(SegmentRefusal) {
    guard var segment else { return }
    self.segment = nil
    var failure: CaptureError?
    do throws(CaptureError) {
      failure = try segment.part.finish(reason == .nextSegment ? nil : audio)
      segment.record.duration = segment.part.duration
    } catch { failure = error }
    segment.part.file.discardIfEmpty()
    note(&segment, before: time)
    segment.record.end = failure.map(reason.followed(by:)) ?? reason
    desk.keeper.segmentEnded(segment.record, desk.plan.retention)
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
      desk.keeper.segmentEnded(next.record, desk.plan.retention)
      throw error
    }
    segment = next
    earlierSilence = audio?.silence ?? []
    writtenDuration = time
    isTooLarge = false
  }

  private func open(at time: UInt64) throws(SegmentRefusal) -> Segment {
    let record = try desk.open(at: time, stamp(time))
    do throws(CaptureError) {
      let file = try makeFile(of: record)
      // The folder has the name now, so that it can be put on the storage.
      desk.keeper.segmentBegan(record)
      return Segment(record: record, part: MoviePart(file, from: time))
    } catch {
      desk.keeper.segmentEnded(record, desk.plan.retention)
      throw SegmentRefusal(error)
    }
  }

  private func makeFile(of record: RecordingRecord) throws(CaptureError) -> MovieFile {
    func make() throws(CaptureError) -> MovieFile {
      let settings = desk.plan.settings
      return try MovieFile(
        .file(desk.keeper.path(of: record)), container: settings.container,
        fragmentInterval: settings.fragmentInterval, audioTracks: audio?.tracks ?? [])
    }
    do throws(CaptureError) { return try make() } catch {
      guard error.errorNumber == ENOENT else { throw error }
      // Since the segment was reserved, the store deleted the only other file of the folder, and the folder with it.
      try desk.keeper.makeFolder(of: record)
      return try make()
    }
  }

  private func noteFragment(before time: UInt64) throws(SegmentRefusal) {
    note(&segment!, before: time)
    writtenDuration = time
    desk.keeper.update(segment!.record)
    guard try desk.enforce() else { throw .noSpace }
  }

  /// Notes what plays of the segment, and what it lacks before this time.
  private func note(_ segment: inout Segment, before time: UInt64?) {
    let silence = (audio?.silence ?? []).enumerated().map { $1 - (earlierSilence.isEmpty ? 0 : earlierSilence[$0]) }
    segment.record.tally.note(segment.part.file, silence: silence, counters)
    if segment.part.file.size > 0 { hasWritten = true }
    segment.record.tally.dropped += takeDropped(time)
  }
}
