public import CaptureCore
public import SystemClocks
internal import VideoCoding

/// Places recordings of one output on one time line, in nanoseconds from the first of them.
///
/// Recordings of the same boot lie apart as far as their monotonic times do, because the wall clock is corrected all
/// the time, by up to a frame in a minute. Between boots only the wall clock is known.
struct RecordingTimeline {
  /// The monotonic clock and the wall clock differ by less than this within one boot, unless somebody set the clock.
  private static let largestDrift: UInt64 = 1_000_000_000

  /// A part of a recording with its place.
  struct Placed {
    let record: RecordingRecord
    let part: RecordingPart
    /// Where the movie of the recording would begin if it had no pause, so that the part lay where it does.
    var moviePosition: Int64

    /// Where the part begins.
    var start: Int64 { moviePosition + Int64(clamping: part.movieTimes.lowerBound) }
    /// Where the part ends.
    var end: Int64 { moviePosition + Int64(clamping: part.movieTimes.upperBound) }
  }

  /// The parts of recordings that all have a start time, in the order of their times. The first recording is at 0.
  static func parts(of records: [RecordingRecord]) -> [Placed] {
    var timeline = RecordingTimeline()
    var placed: [Placed] = []
    for record in records.sorted(by: { ($0.startTime!, $0.id) < ($1.startTime!, $1.id) }) {
      let position = timeline.place(record)
      placed += record.parts.map {
        Placed(record: record, part: $0, moviePosition: position + Int64(clamping: $0.leftOut))
      }
    }
    // A pre-roll may begin before a pause of the recording before it.
    return placed.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
  }

  private var last: RecordingRecord?
  private var lastPosition: Int64 = 0
  /// Where the wall clock puts the last recording, which may be before ``lastPosition``.
  private var wallPosition: Int64 = 0

  /// Returns where the first frame of a recording lies. The recordings come in the order of their start times, and all
  /// have one.
  ///
  /// A recording with a pre-roll may begin before the end of the one before it. Otherwise it begins after the last
  /// frame of that one, also when somebody set the wall clock back. Recordings of later boots are not moved by that.
  mutating func place(_ record: RecordingRecord) -> Int64 {
    if let last {
      let wall = record.startTime!.signedNanoseconds(since: last.startTime!)
      wallPosition += wall
      if let start = record.startMonotonic, let before = last.startMonotonic,
        (start.signedNanoseconds(since: before) &- wall).magnitude < Self.largestDrift
      {
        lastPosition += max(0, start.signedNanoseconds(since: before))
      } else {
        // How long the last frame is shown is only an estimate.
        let lastFrame = lastPosition + Int64(clamping: last.extent) - last.framePeriod
        lastPosition = max(wallPosition, lastFrame)
      }
    }
    last = record
    return lastPosition
  }
}

/// A time that an output recorded without a gap, in pictures of one camera and of one form, so that one movie can be
/// made of it. It ends at a pause and where no recording follows. A recording itself may lack frames.
public struct RecordingSpan: Hashable, Sendable {
  /// The id of the session.
  public let session: String
  /// The id of the session's output.
  public let output: String
  /// The id of the camera, as ``CapturedFrame/device``.
  public let device: String
  /// When the camera captured the first frame.
  public let startTime: WallInstant
  /// From the first frame to the end of the last one, in nanoseconds.
  public private(set) var duration: UInt64
  /// The ids of the recordings, in the order of their times. A recording that was paused may be in several spans.
  public private(set) var recordings: [String]
  /// The frames that all these recordings lack, wherever in them. A frame that two overlapping recordings lack counts
  /// twice.
  public private(set) var dropped: DropCounts

  /// When the last frame ends, as far as ``duration`` tells.
  public var endTime: WallInstant { startTime + duration }

  /// The spans that recordings have, in the order of their times. Recordings that cannot be exported have none. A
  /// recording whose ``RecordingRecord/form`` is not known is in no span with another one.
  static func spans(of records: [RecordingRecord]) -> [RecordingSpan] {
    let playing = records.filter {
      // The times of a writer's movie are those of its client.
      !$0.isOfWriter && $0.startTime != nil && $0.container.hasIndex && $0.tally.frames > 0 && $0.tally.fileSize > 0
    }
    let outputs = Dictionary(grouping: playing) { [$0.session, $0.output] }
    return outputs.values.flatMap(spans(ofOutput:)).sorted {
      ($0.startTime, $0.session, $0.output, $0.recordings[0])
        < ($1.startTime, $1.session, $1.output, $1.recordings[0])
    }
  }

  private static func spans(ofOutput records: [RecordingRecord]) -> [RecordingSpan] {
    var spans: [RecordingSpan] = []
    var (start, end, period): (Int64, Int64, Int64) = (0, 0, 0)
    var (shared, names): (SharedForm, Set<String>) = (SharedForm(), [])
    for placed in RecordingTimeline.parts(of: records) {
      let record = placed.record
      if !spans.isEmpty, placed.start - end <= period / 2, shared.take(record.form, of: record.device) == nil {
        end = max(end, placed.end)
        spans[spans.count - 1].duration = UInt64(end - start)
        if names.insert(record.id).inserted { spans[spans.count - 1].add(record) }
      } else {
        // How long the last frame is shown is only an estimate, and the next one is of another span.
        if !spans.isEmpty, placed.start < end, end - placed.start <= period / 2 {
          spans[spans.count - 1].duration -= UInt64(end - placed.start)
        }
        (shared, names) = (SharedForm(), [record.id])
        _ = shared.take(record.form, of: record.device)
        spans.append(RecordingSpan(record, placed.part))
        (start, end) = (placed.start, placed.end)
      }
      period = record.framePeriod
    }
    return spans
  }

  private mutating func add(_ record: RecordingRecord) {
    recordings.append(record.id)
    dropped += record.tally.dropped
  }

  private init(_ record: RecordingRecord, _ part: RecordingPart) {
    session = record.session
    output = record.output
    device = record.device
    startTime = record.startTime! + part.start
    duration = part.duration
    recordings = [record.id]
    dropped = record.tally.dropped
  }
}

extension RecordingRecord {
  /// The average time from one frame to the next, in nanoseconds.
  var framePeriod: Int64 { Int64(clamping: duration / max(1, tally.frames)) }
}
