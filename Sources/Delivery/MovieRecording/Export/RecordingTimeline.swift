internal import SystemClocks

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
