internal import CaptureCore

/// The rules for the times of a writer's samples, as a value. All times are nanoseconds of the client's clock.
///
/// A movie begins with its first picture. Sound may be at most two seconds ahead of the pictures. Where it is further
/// behind them, `AudioTimeline` fills its track with silence, so sound for that time has no place any more.
struct WriterTimes: Sendable {
  /// The latest time. Sums of times and durations stay far from the end of 64 bits.
  static let latest: UInt64 = 1 << 62
  /// The longest time from one picture to the next.
  static let longestGap: UInt64 = 60_000_000_000
  /// The longest movie.
  static let longestMovie: UInt64 = 30 * 86_400_000_000_000
  /// How far sound may be ahead of the pictures, and how far behind them before there is silence in its place.
  static let longestLead: UInt64 = 2_000_000_000
  /// How far the silence stays behind the pictures.
  static let silenceLatency: UInt64 = 1_000_000_000
  /// How much sooner than the end of the piece before it a piece may begin, because clients round.
  static let tolerance: UInt64 = 1_000_000
  /// The most pieces of sound of a track that wait for their pictures. All tracks together have far fewer of them than
  /// what waits for the disk has places.
  static let mostWaiting = 4096

  private struct Track {
    /// Where the first piece begins.
    var first: UInt64?
    /// Where the newest piece ends.
    var end: UInt64 = 0
    /// Until when the track has silence in the place of sound that did not come.
    var silentUntil: UInt64 = 0
    /// Where the pieces end that wait for their pictures.
    var waiting: [UInt64] = []
  }

  /// The time of the first picture.
  private(set) var first: UInt64?
  private var newest: UInt64?
  private let period: UInt64
  private var tracks: [String: Track]

  /// - Parameters:
  ///   - period: how long the last picture is shown.
  ///   - tracks: the ids of the inputs of sound.
  init(period: UInt64, tracks: [String]) {
    self.period = period
    self.tracks = Dictionary(uniqueKeysWithValues: tracks.map { ($0, Track()) })
  }

  /// Checks the time of the next picture.
  ///
  /// - Throws: `invalidArgument`.
  func check(picture time: UInt64) throws(CaptureError) {
    guard time <= Self.latest else { throw Self.error(time, "is above 2^62") }
    guard let first, let newest else { return }
    guard time > newest else { throw Self.error(time, "is not later than that of the picture before, \(newest)") }
    guard time - newest <= Self.longestGap else {
      throw Self.error(time, "is more than 60 s after the picture before; repeat that picture meanwhile")
    }
    guard time - first <= Self.longestMovie else {
      throw Self.error(time, "is more than 30 days after the first picture; use another writer")
    }
  }

  /// What makes a time of another clock continue the movie: 0 for one that does so already, and otherwise what is added
  /// to it, beyond 64 bits if need be, so that its picture directly follows the newest one.
  func shift(of time: UInt64) -> UInt64 {
    guard let newest else { return 0 }
    let continues = time > newest && time - newest <= Self.longestGap
    return continues ? 0 : newest + period &- time
  }

  /// Notes a picture that was taken.
  mutating func note(picture time: UInt64) {
    let first = first ?? time
    (self.first, newest) = (first, time)
    let end = time + period
    for input in tracks.keys { tracks[input]!.waiting.removeAll { $0 <= end } }
    for (input, track) in tracks where end > max(first, track.end, track.silentUntil) + Self.longestLead {
      tracks[input]!.silentUntil = end - Self.silenceLatency
    }
  }

  /// Checks the time of the next piece of sound.
  ///
  /// - Throws: `invalidArgument`.
  func check(sound time: UInt64, lasting duration: UInt64, of input: String) throws(CaptureError) {
    guard time <= Self.latest, let track = tracks[input] else { throw Self.error(time, "is above 2^62") }
    guard time + Self.tolerance >= track.end else {
      throw Self.error(time, "is before the end of the sound before, \(track.end)")
    }
    guard time + Self.tolerance >= track.silentUntil else {
      throw Self.error(
        time, "is more than 2 s behind the pictures, so that the track has silence there; append both side by side")
    }
    let pictures = newest.map { $0 + period } ?? track.first ?? time
    guard time + duration <= pictures + Self.longestLead else {
      throw Self.error(time, "is more than 2 s ahead of the pictures; append both side by side")
    }
    guard track.waiting.count < Self.mostWaiting else {
      throw Self.error(time, "follows \(Self.mostWaiting) pieces that wait for a picture; append longer pieces")
    }
  }

  /// Notes a piece of sound that was taken.
  mutating func note(sound time: UInt64, lasting duration: UInt64, of input: String) {
    let end = time + duration
    tracks[input]!.first = tracks[input]!.first ?? time
    tracks[input]!.end = end
    if newest.map({ end > $0 + period }) ?? true { tracks[input]!.waiting.append(end) }
  }

  private static func error(_ time: UInt64, _ why: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "The presentation time \(time) \(why).", metadata: ["presentation_time_ns": "\(time)"],
      field: "sample.presentation_time_ns")
  }
}
