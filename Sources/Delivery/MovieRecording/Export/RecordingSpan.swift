public import CaptureCore
public import SystemClocks
internal import VideoCoding

/// A run of recordings of one output that follow one another without a gap between two of them, in pictures of the same
/// format, so that one movie can be made of them. A recording itself may lack frames, and a pause leaves no gap in it.
public struct RecordingSpan: Hashable, Sendable {
  /// The id of the session.
  public let session: String
  /// The id of the session's output.
  public let output: String
  /// When the camera captured the first frame.
  public let startTime: WallInstant
  /// From the first frame to the end of the last one, in nanoseconds. Each recording counts with the duration of its
  /// movie, which leaves pauses out, as the movie of a span does.
  public private(set) var duration: UInt64
  /// The ids of the recordings, in the order of their times.
  public private(set) var recordings: [String]
  /// The frames that all these recordings lack, wherever in them. A frame that two overlapping recordings lack counts
  /// twice.
  public private(set) var dropped: DropCounts

  /// When the last frame ends, as far as ``duration`` tells.
  public var endTime: WallInstant { startTime + duration }

  /// The spans that recordings have, in the order of their times. Recordings that cannot be exported have none. Nobody
  /// needs to have looked at the files.
  ///
  /// The records do not tell the parameter sets of the encoder, which follow from the codec, the size and the session's
  /// configuration. Where they differ after all, the export of the span fails.
  public static func spans(of records: [RecordingRecord]) -> [RecordingSpan] {
    let playing = records.filter {
      // The times of a writer's movie are those of its client.
      !$0.isOfWriter && $0.startTime != nil && $0.container.hasIndex && $0.tally.frames > 0 && $0.tally.fileSize > 0
    }
    let outputs = Dictionary(grouping: playing) { [$0.session, $0.output] }
    return outputs.values.flatMap(spans(ofOutput:)).sorted {
      ($0.startTime, $0.session, $0.output) < ($1.startTime, $1.session, $1.output)
    }
  }

  private static func spans(ofOutput records: [RecordingRecord]) -> [RecordingSpan] {
    var spans: [RecordingSpan] = []
    var timeline = RecordingTimeline()
    var last: (record: RecordingRecord, end: Int64)?
    var start: Int64 = 0
    for record in records.sorted(by: { ($0.startTime!, $0.id) < ($1.startTime!, $1.id) }) {
      let position = timeline.place(record)
      let end = max(position + Int64(clamping: record.duration), last?.end ?? 0)
      if let last, last.record.codec == record.codec, last.record.size == record.size,
        position - last.end <= last.record.framePeriod / 2
      {
        spans[spans.count - 1].recordings.append(record.id)
        spans[spans.count - 1].duration = UInt64(end - start)
        spans[spans.count - 1].dropped += record.tally.dropped
      } else {
        start = position
        spans.append(RecordingSpan(record))
      }
      last = (record, end)
    }
    return spans
  }

  private init(_ record: RecordingRecord) {
    session = record.session
    output = record.output
    startTime = record.startTime!
    duration = record.duration
    recordings = [record.id]
    dropped = record.tally.dropped
  }
}

extension RecordingRecord {
  /// The average time from one frame to the next, in nanoseconds.
  var framePeriod: Int64 { Int64(clamping: duration / max(1, tally.frames)) }
}
