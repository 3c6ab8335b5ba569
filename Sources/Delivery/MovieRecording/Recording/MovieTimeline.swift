internal import CaptureCore
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

/// What all pictures of a movie have in common: the camera that captured them and, from the first one on, their form. A
/// value.
struct MovieSubject: Sendable {
  /// As ``CapturedFrame/device``.
  let device: String
  /// Nil before the first picture.
  private var layout: FrameLayout?

  /// What a movie shows that has no picture yet.
  init(of device: String) { self.device = device }

  /// What a movie shows that begins with this frame.
  init(_ first: CapturedFrame) { (device, layout) = (first.device, first.frame.layout) }

  /// Why a frame cannot follow the ones before in the same movie. Nil when it can.
  func obstacle(for frame: CapturedFrame) -> CaptureError? {
    if frame.device != device { return .otherCamera }
    guard let layout, !frame.frame.layout.continues(layout) else { return nil }
    return .movieInterrupted(by: "the format changed")
  }

  /// As ``obstacle(for:)``, and the first frame says which form the pictures have.
  mutating func obstacle(toTaking frame: CapturedFrame) -> CaptureError? {
    let obstacle = obstacle(for: frame)
    if layout == nil { layout = frame.frame.layout }
    return obstacle
  }
}

extension CaptureError {
  /// The end of a movie whose output shows another camera from now on.
  static var otherCamera: CaptureError { .movieInterrupted(by: "the output got another camera") }
}

/// Why a recording ends that no client has stopped.
extension CaptureError {
  static func movieInterrupted(by cause: String) -> CaptureError {
    CaptureError(.operationInterrupted, "The recording ended: \(cause).", metadata: ["cause": cause])
  }

  static func movieInterrupted(by status: SessionStatus) -> CaptureError {
    guard let interruption = status.interruption else { return movieInterrupted(by: "its camera is \(status.state)") }
    var error = movieInterrupted(by: "its camera is \(status.state), \(interruption.text)")
    error.metadata["interruption"] = interruption.name
    return error
  }
}
