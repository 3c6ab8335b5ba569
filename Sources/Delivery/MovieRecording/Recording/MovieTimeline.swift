internal import SystemClocks

/// Where the frames of a recording lie in its movie, as a value.
///
/// A movie begins with its first frame and goes on by the frames' own time stamps: a variable rate stays as it was, and
/// a gap stays a gap. Only the time for which the recording is paused is left out, and noted.
struct MovieTimeline: Sendable {
  /// The newest frame: its time stamp, and its time in the movie in nanoseconds.
  private var newest: (stamp: MonotonicInstant, time: UInt64)?
  /// The end of the newest frame in the movie, in nanoseconds.
  private(set) var duration: UInt64 = 0
  /// Whether the next frame follows the newest one directly.
  private var isCut = false
  /// The pauses after which a frame came.
  private(set) var pauses: [RecordingPause] = []

  /// Whether the next frame continues the movie without a cut.
  var continues: Bool { newest != nil && !isCut }

  /// Places the next frame.
  ///
  /// - Parameters:
  ///   - stamp: the frame's time stamp.
  ///   - period: the time for which the frame is shown when no frame follows, in nanoseconds.
  /// - Returns: the frame's time in the movie, in nanoseconds. Nil for a frame that is not later than the newest one
  ///   and so has no place in the movie.
  mutating func place(_ stamp: MonotonicInstant, period: UInt64) -> UInt64? {
    var time: UInt64 = 0
    if let newest {
      guard stamp > newest.stamp else { return nil }
      time = newest.time + stamp.nanoseconds(since: newest.stamp)
      if isCut, time > duration {
        // A file counts whole microseconds, as drivers do.
        let leftOut = (time - duration) / 1000 * 1000
        time -= leftOut
        if leftOut > 0 { pauses.append(RecordingPause(movieTime: time, duration: leftOut)) }
      }
    }
    newest = (stamp, time)
    duration = time + period
    isCut = false
    return time
  }

  /// Leaves out what is after a time of the movie, in nanoseconds. No frame may follow.
  mutating func shorten(to end: UInt64) { duration = min(duration, end) }

  /// Leaves out the time until the next frame.
  mutating func cut() { isCut = newest != nil }
}

/// Where a movie is cut into parts of a set duration, by the times of its pictures. Times are nanoseconds.
struct MovieCuts: Sendable {
  /// The duration of a part. Nil leaves the movie in one part.
  let interval: UInt64?
  /// When the present part began. Nil before the first one.
  private(set) var start: UInt64?

  init(every interval: UInt64?) { self.interval = interval }

  /// Whether a part begins with this picture. The time stamps of a steady rate vary by microseconds, so a picture that
  /// comes less than half of its duration early begins it too.
  func isDue(at time: UInt64, lasting duration: UInt64) -> Bool {
    guard let start else { return true }
    guard let interval else { return false }
    return time + duration / 2 >= start + interval
  }

  /// Begins a part.
  mutating func begin(at time: UInt64) { start = time }
}
