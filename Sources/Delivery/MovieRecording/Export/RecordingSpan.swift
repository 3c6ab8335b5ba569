public import CaptureCore
public import SystemClocks
internal import VideoCoding

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
