public import CaptureCore
public import SystemClocks
public import VideoCoding

/// What the folder of recordings knows about one recording.
public struct RecordingRecord: Hashable, Sendable {
  /// How far the recording is.
  public enum State: String, CaseIterable, Sendable {
    /// No frame was taken yet.
    case starting
    /// The movie has a frame, and further ones are recorded as they come.
    case recording
    /// A client paused the recording. No frame is recorded until it resumes.
    case paused
    /// The movie has its last frame, and the file is not complete yet.
    case finishing
    /// The recording has ended, and its file and record change no more.
    case finished
  }

  /// The id of the recording, which no other recording in the folder has: 32 hexadecimal digits.
  public let id: String
  /// The id of the session that makes the recording. Empty for the movie of a writer.
  public let session: String
  /// The id of the session's output that makes the recording. Empty for the movie of a writer.
  public let output: String
  /// The path of the file, relative to the folder.
  public let file: String
  /// The id of the camera whose pictures the movie has, as ``CapturedFrame/device``. Empty for the movie of a writer.
  public var device = ""
  /// The format of the file.
  public let container: MovieContainer
  /// How the pictures are coded.
  public let codec: MovieCodec
  /// The size of the pictures, in pixels.
  public let size: Size
  /// The tracks of sound, in the order of the session's microphones.
  public var audioTracks: [AudioConnection] = []
  /// How the sound of all tracks is coded.
  public var audioCodec = AudioCodec.aac
  /// Whether the recording is a segment of a continuous recording, which the retention of its session may delete. A
  /// recording that a client started is not a segment.
  public var isSegment = false
  /// The place of a segment among all segments of the folder: later ones have greater numbers, whatever the wall clock
  /// says. 0 for other recordings.
  var number: UInt64 = 0
  /// The id of the boot in which a segment was recorded. Nil for other recordings, and when nobody knows it.
  var boot: String?
  /// When a client asked for the recording. For a segment this is when the frame was captured for which the segment was
  /// reserved.
  public internal(set) var requestTime: WallInstant
  /// How far the recording is.
  public var state = State.starting
  /// When the camera captured the first frame. Nil before that frame.
  public var startTime: WallInstant?
  /// ``startTime`` on the monotonic clock of the boot in which the recording was made.
  public var startMonotonic: MonotonicInstant?
  /// How long before its request the movie begins, in nanoseconds; 0 unless the client asked for a pre-roll.
  public var preRoll: UInt64 = 0
  /// The duration of the movie, in nanoseconds.
  public var duration: UInt64 = 0
  /// The pauses after which the movie goes on, in the order of their times.
  public var pauses: [RecordingPause] = []
  /// What the file says once about its tracks. Nil while nothing plays, for containers without an index, and as long as
  /// nobody has looked at the file.
  var form: MovieForm?
  /// What plays of the file, and the frames that the movie lacks.
  public var tally = RecordingTally()
  /// Whether the index of the movie comes first in its file, instead of one in each fragment.
  public var isOptimizedForNetworkUse = false
  /// Why the recording ended. Nil until it ends.
  public var end: RecordingEnd?
  /// Whether all of the movie was in the video storage, and only had to move to its file. Only on the disk, until the
  /// recording is finished.
  var isCaptured = false
  /// Whether the movie never got its file, so that a file at its place is somebody else's: it was given up or
  /// discarded in the video storage, or the recording did not start.
  var isLost = false
  /// Whether the movie is made in the video storage. Only on the disk, until the recording is finished.
  var usesVideoStorage = false
  /// Whether the file is there and something of it plays. The store finds out each time it returns a record.
  public var isUsable = false

  /// Creates the record of a recording that has nothing yet.
  ///
  /// - Parameter file: the path of the file, relative to the folder.
  public init(
    id: String, session: String, output: String, file: String, container: MovieContainer, codec: MovieCodec,
    size: Size, requestTime: WallInstant
  ) {
    self.id = id
    self.session = session
    self.output = output
    self.file = file
    self.container = container
    self.codec = codec
    self.size = codec.size(of: size)
    self.requestTime = requestTime
  }

  /// The finished record of a recording of which nothing plays.
  var withoutMovie: RecordingRecord {
    var record = self
    (record.state, record.duration) = (.finished, 0)
    (record.pauses, record.form) = ([], nil)
    (record.isCaptured, record.usesVideoStorage) = (false, false)
    (record.tally.frames, record.tally.fileSize) = (0, 0)
    return record
  }

  /// The finished record of a recording whose movie never got its file.
  var lost: RecordingRecord {
    var record = withoutMovie
    record.isLost = true
    return record
  }

  /// Whether the recording is the movie of a writer.
  public var isOfWriter: Bool { session.isEmpty }

  /// Whether the time of the recording, from its first frame to the end of its last one, has a part in `span`. A
  /// recording without a frame has the time at which it was asked for.
  public func overlaps(_ span: Range<WallInstant>) -> Bool {
    let start = startTime ?? requestTime
    return start < span.upperBound && span.lowerBound.nanoseconds(since: start) < max(1, extent)
  }

  /// Whether this recording comes before another one in a list: the newest one comes first.
  public func isNewer(than other: RecordingRecord) -> Bool {
    (other.requestTime, id) < (requestTime, other.id)
  }
}

/// Finds the true times of segments that were recorded in this boot while the wall clock was evidently wrong, as that
/// of a board without a battery is until the time comes from the network. A value.
///
/// The monotonic clock tells how long ago such a segment began, so its time is known as soon as the wall clock is
/// right. A suspension of the machine in between would not count, because the monotonic clock stands still then.
struct TimeCorrection: Sendable {
  /// The id of this boot. Empty when nobody knows it.
  private let boot: String
  /// When the monotonic clock began; nil while the wall clock is wrong.
  private let origin: WallInstant?

  /// - Parameters:
  ///   - boot: the id of this boot. Empty when nobody knows it.
  ///   - wall: the present instant on the wall clock.
  ///   - monotonic: the same instant.
  init(boot: String, wall: WallInstant, monotonic: MonotonicInstant) {
    self.boot = boot
    let isRight = wall >= RetentionClock.earliest && wall.nanoseconds > monotonic.nanoseconds
    origin = isRight ? WallInstant(nanoseconds: wall.nanoseconds - monotonic.nanoseconds) : nil
  }

  /// The correction by the clocks of the machine as they are now. Segments that begin from now on have their times by
  /// the same measurement.
  static func now(boot: String) -> TimeCorrection {
    let monotonic = MonotonicInstant.now()
    return TimeCorrection(boot: boot, wall: WallClock.shared.wallInstant(at: monotonic), monotonic: monotonic)
  }

  /// The record with its true times; nil when its times stay as they are.
  func corrected(_ record: RecordingRecord) -> RecordingRecord? {
    guard let start = record.startTime, start < RetentionClock.earliest, let origin, !boot.isEmpty, record.boot == boot,
      let stamp = record.startMonotonic
    else { return nil }
    var record = record
    let found = origin + stamp.nanoseconds
    record.requestTime = record.requestTime + found.nanoseconds(since: start)
    record.startTime = found
    return record
  }
}
