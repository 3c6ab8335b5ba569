/// A pause of a recording, which its movie leaves out. A value.
public struct RecordingPause: Hashable, Sendable {
  /// The most pauses of a recording after which frames came.
  public static let maximumCount = 500

  /// Where in the movie the first frame after the pause is, in nanoseconds.
  public var movieTime: UInt64
  /// How long the pause was, in nanoseconds, from the end of the last frame before it to the first frame after it.
  public var duration: UInt64

  /// Creates a pause.
  public init(movieTime: UInt64, duration: UInt64) {
    self.movieTime = movieTime
    self.duration = duration
  }
}

/// A part of a recording that has no pause in it. A value.
struct RecordingPart: Hashable, Sendable {
  /// Where the part begins and ends in the movie, in nanoseconds.
  var movieTimes: Range<UInt64>
  /// How long all pauses before the part were together, in nanoseconds.
  var leftOut: UInt64

  /// When the part begins, in nanoseconds from the start of the recording.
  var start: UInt64 { movieTimes.lowerBound + leftOut }
  /// How long the part is, in nanoseconds.
  var duration: UInt64 { movieTimes.upperBound - movieTimes.lowerBound }
}

extension RecordingRecord {
  /// The parts between the pauses, in order. A recording without a pause is one part.
  var parts: [RecordingPart] {
    var (parts, start, leftOut): ([RecordingPart], UInt64, UInt64) = ([], 0, 0)
    for pause in pauses where pause.movieTime < duration {
      if pause.movieTime > start { parts.append(RecordingPart(movieTimes: start..<pause.movieTime, leftOut: leftOut)) }
      start = pause.movieTime
      leftOut += pause.duration
    }
    return parts + [RecordingPart(movieTimes: start..<duration, leftOut: leftOut)]
  }

  /// The time from the first frame to the end of the last one with all pauses, in nanoseconds.
  public var extent: UInt64 { duration + pauses.lazy.filter { $0.movieTime < duration }.reduce(0) { $0 + $1.duration } }
}
